/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all fields. */
#ifndef DWELL_REPORT_ROWS_FIELDS_H
#define DWELL_REPORT_ROWS_FIELDS_H

#include "common/file/reader.h"
#include "report/rows/field.h"

/*
 * Returns the next name of a list with commas or, as in perf, blanks between
 * names, and moves REST behind it. Returns NULL at the end. Modifies the text.
 */
char *field_next_name(char **rest);
/*
 * Returns the field NAME ("symbol" is "sym"), or the first of perf's fields, in
 * perf's order, that begins with NAME in upper or lower case; NULL if there is
 * none.
 */
const struct field *field_find(const char *name);
/* Returns field number I of all, or NULL behind the last one. */
const struct field *field_at(size_t i);

/*
 * Returns the error that OPTION contains the unknown field NAME, with the
 * nearest name, or the list of all names.
 */
struct error *field_unknown(const char *option, const char *name) _must_check_;

/* Returns whether samples of the recording can have the data of FIELD. */
bool field_is_recorded(const struct field *field, const struct reader *reader);
/*
 * Returns the error that the recording lacks the data of FIELD, with the option
 * of dwell record that records it.
 */
struct error *field_explain(
	const struct field *field, const struct reader *reader) _must_check_;

#endif
