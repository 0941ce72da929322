/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds fields, which are the columns of a report, by name. */
#ifndef DWELL_REPORT_ROWS_FIELDS_H
#define DWELL_REPORT_ROWS_FIELDS_H

#include "common/file/reader.h"
#include "common/util/completion.h"
#include "report/rows/field.h"

/*
 * Returns the next name in *REST, a list with commas or, as in perf, blanks
 * between names, and moves *REST behind the name. Returns NULL at the end.
 * Modifies the list.
 */
char *field_next_name(char **rest);
/*
 * Returns the field NAME ("symbol" is "sym"), or the first of perf's fields, in
 * perf's order, that begins with NAME in upper or lower case; NULL if there is
 * no such field.
 */
const struct field *field_find(const char *name);
/* Returns the field with number I of all fields, or NULL at the end. */
const struct field *field_at(size_t i);

/* Offer the names of fields, and of fields that are keys. */
COMPLETER(field_complete);
COMPLETER(field_complete_keys);

/*
 * Returns the error that OPTION contains the unknown field NAME, with the
 * nearest name, or the list of all names.
 */
struct error *field_unknown(const char *option, const char *name) _must_check_;

/* Returns whether samples of the recording can have the data of FIELD. */
bool field_is_recorded(const struct field *field, const struct reader *reader);
/*
 * Returns the error that the recording lacks the data of FIELD, with the option
 * of dwell record that records the data.
 */
struct error *field_explain(
	const struct field *field, const struct reader *reader) _must_check_;

#endif
