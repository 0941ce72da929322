/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns that divide the periods of two events of a group: "ipc", or any "a/b"
 * with the names of two events. Names need no modifiers, terms or PMU, and may
 * be aliases: "cycles" is also "cpu-cycles:u" and "cpu/cycles/".
 */
#ifndef DWELL_REPORT_ROWS_RATIO_H
#define DWELL_REPORT_ROWS_RATIO_H

#include "report/rows/hist.h"

/*
 * Returns whether NAME, which is no field of the tables, is that of a ratio.
 * Whether there are such events is not known before the recording is read.
 */
static inline bool ratio_is_named(const char *name)
{
	return strchr(name, '/');
}

/* Returns the column of the ratio NAME. Takes ownership of NAME. */
struct field *ratio_field(char *name);

/* Returns whether a column of COLUMNS is a ratio. */
bool ratio_is_among(const struct columns *columns);
/*
 * Returns an error with the names of the events if no group of INPUTS has both
 * events of a ratio in COLUMNS. IS_FORCED is that of group_size(). Call after
 * the survey.
 */
struct error *ratio_check(const struct inputs *inputs,
	const struct columns *columns, bool is_forced) _must_check_;

/*
 * Finds the events of the ratios in COLUMNS for LEADER, whose members are
 * built. Ratios whose events are not in this group stay unknown.
 */
void ratio_find_events(struct hist *leader, const struct columns *columns,
	const struct inputs *inputs);

/*
 * Appends the ratio FIELD of ROW, a row of LEADER (hist_ratio()), as a number
 * for programs, or UNKNOWN.
 */
void ratio_put(const struct hist *leader, const struct row *row,
	const struct field *field, const char *unknown, struct strbuf *out);
/*
 * Appends the ratio as a number for people, or "-": "1.86", "2.50/ms" (per
 * nanosecond) or "4.00/1M" (per million).
 */
void ratio_text(const struct hist *leader, const struct row *row,
	const struct field *field, struct strbuf *out);

#endif
