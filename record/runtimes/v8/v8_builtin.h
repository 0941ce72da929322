/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A builtin of V8, a symbol "Builtins_..." of the program: how it uses its
 * frame, and where its code makes frames. The module does not read files.
 */
#ifndef DWELL_RECORD_RUNTIMES_V8_V8_BUILTIN_H
#define DWELL_RECORD_RUNTIMES_V8_V8_BUILTIN_H

#include "common/util/base.h"

/* How a builtin uses its frame. */
enum v8_builtin_kind {
	V8_BUILTIN,	    /* a function with a name */
	V8_BUILTIN_SILENT,  /* a trampoline or adaptor, which is not shown */
	V8_BUILTIN_ENTRY,   /* called from C++ */
	V8_BUILTIN_HANDLER, /* executes a bytecode */
	/* the frame of an interpreted function */
	V8_BUILTIN_INTERPRETER,
	/* called by baseline code to make the frame of the function */
	V8_BUILTIN_PROLOGUE,
};

/* Limit of the kept sites of one builtin. */
#define V8_SITES_MAX 8u

/* Instructions that make a frame: "push rbp; mov rbp, rsp". */
struct v8_site {
	uint32_t at;	 /* offset of the push in the builtin */
	uint32_t size;	 /* bytes below rbp */
	uint32_t marker; /* frame type, the first word below rbp; 0: unknown */
};

struct v8_builtin {
	uint64_t start, end; /* linked addresses */
	char *name;	     /* without "Builtins_"; owned */
	enum v8_builtin_kind kind;
	uint8_t n_sites; /* V8_SITES_MAX + 1: there are more */
	struct v8_site sites[V8_SITES_MAX];
};

/* Returns the kind of the builtin NAME, without "Builtins_". */
enum v8_builtin_kind v8_builtin_kind_of(const char *name);
/* Sets the sites of BUILTIN. CODE is its code, N bytes. */
void v8_builtin_find_sites(
	struct v8_builtin *builtin, const uint8_t *code, size_t n);

#endif
