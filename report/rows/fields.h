/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All fields there are, as one table. */
#ifndef DWELL_REPORT_ROWS_FIELDS_H
#define DWELL_REPORT_ROWS_FIELDS_H

#include "common/file/reader.h"
#include "report/rows/field.h"

/*
 * The next of a list of names, parted by commas or, as in perf, blanks; moves
 * REST behind it. NULL: there are no more.
 */
char *field_next_name(char **rest);
/*
 * By its name ("symbol" is "sym"), or by what is short for one of perf's: the
 * first in perf's order that begins so, in whatever case. NULL if there is none.
 */
const struct field *field_find(const char *name);
/* One after the other; NULL behind the last. */
const struct field *field_at(size_t i);

/* That there is no field NAME, and which was meant, or which there are. */
struct error *field_unknown(const char *option, const char *name) _must_check_;

/* Whether a sample of the recording can have what FIELD shows. */
bool field_is_there(const struct field *field, const struct reader *reader);
/* That it isn't there, and how it is recorded. */
struct error *field_explain(const struct field *field,
	const struct reader *reader) _must_check_;

#endif
