/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers the functions of a recording for exports. A function is identified by
 * its name, its DSO and its source file, so inlined and other instances are one
 * function. Code without a symbol is one function per DSO, or per address.
 */
#ifndef DWELL_REPORT_RESOLVE_FUNCTION_NUMBERS_H
#define DWELL_REPORT_RESOLVE_FUNCTION_NUMBERS_H

#include "report/resolve/resolve.h"

struct function_numbered {
	char *name;	   /* as displayed, without marks, unescaped; owned */
	const char *dso;   /* path of the DSO, or "[unknown]"; borrowed */
	uint32_t dso_name; /* number for resolver_dso_name() */
	/* Input and number of the DSO, as in files.h; only if .has_dso. */
	uint32_t input, number;
	bool has_dso;
	struct resolver_line at; /* source line of the function's start */
	bool has_symbol;
};

/* A zero-initialized struct has no functions. */
struct function_numbers {
	struct resolver *resolver; /* borrowed; has RESOLVE_ADDRESSES */
	bool has_addresses;	   /* distinguish addresses without a symbol */
	bool names_builds;	   /* append resolver_build_mark() to names */
	ARRAY(struct function_numbered) at;
	/* function number + 1 of each location, or 0 */
	ARRAY(uint32_t) numbers;
	struct hash_index index;
};

void function_numbers_deinit(struct function_numbers *functions);

/* Returns the number of the function of LOCATION. */
uint32_t function_numbers_find(
	struct function_numbers *functions, uint32_t location);
/*
 * Returns the number of a function named NAME that is not code, but a synthetic
 * last frame of stacks.
 */
uint32_t function_numbers_find_mark(
	struct function_numbers *functions, const char *name);
static inline const struct function_numbered *function_numbers_at(
	const struct function_numbers *functions, uint32_t number)
{
	return &functions->at.at[number];
}

/* Appends the name of code without a symbol in a DSO: "[libc.so.6]". */
void function_numbers_put_unknown(const char *dso_name, struct strbuf *out);

#endif
