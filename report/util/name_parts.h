/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits displayed function names: the qualified name, its template arguments, and the
 * type and trait of a function of Rust. A part is borrowed from the name.
 */
#ifndef DWELL_REPORT_UTIL_NAME_PARTS_H
#define DWELL_REPORT_UTIL_NAME_PARTS_H

#include "common/util/base.h"

/*
 * Reads demangled function names from left to right, so that commas and blanks
 * inside brackets can be distinguished from the others.
 */

/*
 * Returns the length of the C++ operator name at index AT of NAME, such as
 * "operator<". The characters of such a name are not brackets. Returns 0 if there is no such
 * name.
 */
size_t name_operator_length(const char *name, size_t at);
/*
 * Returns the number of characters to skip from index AT of NAME: an operator
 * name or one character. Updates *DEPTH, the number of open brackets. NAME must
 * not end at AT.
 */
size_t name_step(const char *name, size_t at, size_t *depth);

/* A part of a name. */
struct name_part {
	const char *at;
	size_t size;
};

bool name_part_is(struct name_part part, const char *text);
bool name_part_begins(struct name_part part, const char *text);

/*
 * Returns the qualified name in NAME: without marks of dwell, the version of a dynamic
 * symbol, suffixes of copies that compilers make of a function, and the return type.
 */
struct name_part name_part_of(const char *name);
/* Returns the length of NAME up to the template arguments at its end. */
size_t name_part_bare_size(struct name_part name);

/* A function of Rust, "<TYPE>::function" or "<TYPE as TRAIT>::function". */
struct name_rust_impl {
	struct name_part type;
	struct name_part trait; /* empty: none */
};

/*
 * Splits NAME, which begins with "<". Returns false if NAME is not a function of Rust.
 */
bool name_rust_impl_split(struct name_part name, struct name_rust_impl *ret);
/* Returns NAME, a type of Rust, from its path on. */
struct name_part name_rust_type_path(struct name_part name);

#endif
