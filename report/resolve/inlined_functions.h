/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inlined functions of a report. A function is identified by its DSO, its
 * name and the position of its declaration, so that two functions of one name
 * are two functions, and all inlined instances of a function are one.
 */
#ifndef DWELL_REPORT_RESOLVE_INLINED_FUNCTIONS_H
#define DWELL_REPORT_RESOLVE_INLINED_FUNCTIONS_H

#include "common/file/line_unit.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* A zero-initialized struct has no functions. */
struct inlined_functions {
	ARRAY(struct inlined_function {
		uint32_t dso_name; /* number of the DSO's name */
		char *name; /* demangled linkage name, or name in source */
		/* .name with its scopes; NULL: .name has them */
		char *qualified;
		struct line_declaration declared; /* .file is owned, without
						     "." and ".."; texts else
						     unused */
		bool is_ambiguous; /* another function has the same name */
		bool is_crowded;   /* another one also has the same line */
		/*
		 * Displayed name, and the same with " (inlined)": without the
		 * place, with it, and for .is_crowded; NULL: not needed yet.
		 */
		char *shown[3], *marked[3];
	})
	at;
	/* Frames that were found before, by the addresses of their texts. */
	ARRAY(struct inlined_frame {
		const char *name;
		struct line_declaration declared;
		uint32_t dso_name, function;
	})
	frames;
	struct hash_index by_function, by_name, by_frame;
};

void inlined_functions_deinit(struct inlined_functions *functions);

/*
 * Returns the number of the function of FRAME, which is inlined, in the DSO
 * with the name number DSO_NAME. The texts of FRAME are borrowed until
 * inlined_functions_deinit().
 */
uint32_t inlined_functions_find(struct inlined_functions *functions,
	const struct line_frame *frame, uint32_t dso_name);

/*
 * Returns NAME, the demangled name of a lambda's call operator, without numbers
 * of lambdas and without the parameters of functions:
 * "f::{lambda}::operator()" for "f(int)::{lambda(char)#2}::operator()" and for
 * "f(int)::$_1::operator()". The caller frees the name. Compilers number
 * lambdas in their linkage names, each in its own way, and debug information
 * can lack the scopes of a lambda.
 */
char *inlined_functions_lambda_name(const char *name);

/*
 * Returns the name of function NUMBER as perf prints it, without scopes and
 * place. Each function has one copy of its name, which identifies it.
 */
const char *inlined_functions_name(
	const struct inlined_functions *functions, uint32_t number);
/*
 * Returns the name of function NUMBER with its scopes, without place. The text
 * is borrowed, as in the functions below.
 */
const char *inlined_functions_qualified(
	const struct inlined_functions *functions, uint32_t number);
/*
 * Returns the displayed name of function NUMBER: with its scopes and, for
 * lambdas and if another function of the DSO has the same name, with the place
 * of its declaration, FILE:LINE. If the line has another function of the same
 * name, also with the column or, if the column is unknown, with the name that
 * perf prints instead of the scopes.
 */
const char *inlined_functions_shown(
	struct inlined_functions *functions, uint32_t number);
/* Returns inlined_functions_shown() with " (inlined)". */
const char *inlined_functions_marked(
	struct inlined_functions *functions, uint32_t number);

#endif
