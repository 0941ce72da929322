/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a recording as other tools want them: a number for each, and
 * what is known of it. A function is told apart by its name, its DSO and the
 * file of its source code, so one that was inlined is the same as where it
 * wasn't. What has no symbol is one function of each DSO, or of each address.
 */
#ifndef DWELL_REPORT_RESOLVE_FUNCTION_NUMBERS_H
#define DWELL_REPORT_RESOLVE_FUNCTION_NUMBERS_H

#include "report/resolve/resolve.h"

struct code_name {
	char *name;          /* as it is shown, no mark, unescaped; owned */
	const char *dso;     /* its path, or "[unknown]", borrowed */
	uint32_t dso_name;   /* for resolver_dso_name() */
	/* DSO as files.h knows it; .has_dso false: nobody does. */
	uint32_t input, number;
	bool has_dso;
	struct code_line at; /* where it begins */
	bool has_symbol;
};

/* A zeroed one is empty. */
struct code_names {
	struct resolver *resolver; /* borrowed; RESOLVE_ADDRESSES */
	bool has_addresses; /* what has no symbol is told apart by them */
	ARRAY(struct code_name) at;
	ARRAY(uint32_t) numbers; /* by location, + 1; 0: not asked for yet */
	struct hash_index index;
};

void code_names_deinit(struct code_names *functions);

/* The number of the function that LOCATION is in. */
uint32_t code_names_number(struct code_names *functions, uint32_t location);
/* That of NAME, which is no code, but stands at the end of stacks. */
uint32_t code_names_mark(struct code_names *functions, const char *name);
static inline const struct code_name *code_names_at(
	const struct code_names *functions, uint32_t number)
{
	return &functions->at.at[number];
}

/* What stands for code of a DSO without a symbol: "[libc.so.6]". */
void code_names_put_unknown(const char *dso_name, struct strbuf *out);

#endif
