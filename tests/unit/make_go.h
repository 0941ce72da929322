/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a stripped Go program for x86-64 with two functions:
 *
 *	main.main, 64 bytes:		/src/main.go:10, from byte 16 on :11, from
 *					byte 56 on no line
 *	main.(*list).add, 192 bytes:	/src/main.go:20, from byte 31 on :21,
 *from byte 48 on :22
 *
 * In main.(*list).add, main.inner (declared in /src/inner.go:4) is inlined from
 *byte 32 to 47: inner.go:5, from byte 39 on :6. In main.inner, main.leaf
 *(declared in :1) is inlined from byte 40 on: inner.go:2.
 */
#ifndef DWELL_MAKE_GO_H
#define DWELL_MAKE_GO_H

#include "common/util/strbuf.h"

#define MADE_GO_BASE \
	UINT64_C(0x400000) /* minus the file offset, at any byte \
					 */
#define MADE_GO_CODE UINT64_C(0x401000)
#define MADE_GO_MAIN_SIZE 64u
#define MADE_GO_ADD_SIZE 192u

/* The first Go version that writes the format of the program. */
enum made_go_version {
	MADE_GO_1_2,  /* without inlined functions */
	MADE_GO_1_16, /* without inlined functions */
	MADE_GO_1_18,
	MADE_GO_1_20,
	MADE_GO_1_26,
	MADE_GO_VERSIONS
};

enum made_go_layout {
	MADE_GO_FIXED,
	MADE_GO_PIE,	/* addresses are only in relocations */
	MADE_GO_MERGED, /* a PIE with the table inside of .data.rel.ro */
	MADE_GO_LAYOUTS
};

/* Appends the program to OUT. */
void made_go_program(enum made_go_version version, enum made_go_layout layout,
	struct strbuf *out);

struct made_go_many {
	unsigned functions, size; /* number, and bytes of each */
	unsigned name_size; /* length of names of functions and of both files */
	/* Number of the first bytes of each function that have in turn one of
	 * two files and lines. */
	unsigned changes;
};
/*
 * Appends a program of Go 1.20 to OUT. Its functions share their values and,
 * except for the last one, main.last, their name.
 */
void made_go_many(const struct made_go_many *many, struct strbuf *out);

#endif
