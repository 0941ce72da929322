/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts and colours of the cells in the report's text table, and the
 * table's title. view_stdio.c and tui_page.h arrange the cells.
 */
#ifndef DWELL_REPORT_VIEW_STDIO_CELL_H
#define DWELL_REPORT_VIEW_STDIO_CELL_H

#include "report/result/result.h"

#define STDIO_SHARE_WIDTH 8 /* "100.00%" and a space before it */
#define STDIO_COUNT_WIDTH 12

/*
 * Returns the smallest width of the column of FIELD: the width of the heading,
 * or of the numbers, one for each event of the group of HIST.
 */
size_t stdio_cell_width(const struct field *field, const struct hist *hist);

/*
 * Returns the number of dots below the heading of the last column, of the width
 * WIDTH, behind BEFORE columns of text. A name in the last column can be much
 * wider than a line.
 */
size_t stdio_underline_width(size_t before, size_t width);

/* Returns the heading of column number COLUMN, borrowed from RESULT. */
const char *stdio_cell_head(const struct result *result, size_t column);

/*
 * Writes the text of ROW in column number COLUMN, whose field is a FIELD_KEY.
 */
void stdio_cell_text(const struct result *result, const struct row *row,
	size_t column, struct strbuf *out);

/*
 * Appends PERIOD as a number. If OPTIONS count times, appends a time such as
 * "1.57 s" instead, but with -t, whose output is for programs, the number of
 * nanoseconds.
 */
void stdio_period_text(
	const struct options *options, uint64_t period, struct strbuf *out);
/*
 * Appends the number of ROW in the column FIELD, a FIELD_COUNT, for event
 * number EVENT of the event group.
 */
void stdio_count_text(const struct options *options, const struct row *row,
	const struct field *field, size_t event, struct strbuf *out);

/* The colour class of a percentage. */
enum stdio_heat {
	STDIO_HEAT_NONE,
	STDIO_HEAT_WARM,
	STDIO_HEAT_HOT,
};
enum stdio_heat stdio_cell_heat(double percent);
/* Returns the escape sequence in front of a share of PERCENT, or "". */
const char *stdio_cell_colour(const struct options *options, double percent);

/*
 * Returns the number of ROW in the column FIELD, which is not a FIELD_KEY, for
 * event number EVENT of the event group. EVENT 0 is the group leader or the
 * only event. Returns 0 if ROW has no samples of the event.
 */
uint64_t stdio_cell_number(
	const struct row *row, const struct field *field, size_t event);
/*
 * Returns the percentage that stdio_cell_number() of FIELD, a FIELD_SHARE, is
 * of the total period of event number EVENT in the group of HIST.
 */
double stdio_cell_share(const struct hist *hist, const struct row *row,
	const struct field *field, size_t event);

/* Appends "Samples: 12K of event 'cycles'", escaped. */
void stdio_title_put_samples(const struct result *result,
	const struct hist *hist, struct strbuf *out);
/*
 * Appends PERIOD, the sum of the times of all threads, and the duration of sampling:
 * "Thread time: 1.57 s (2 threads, 0.98 s)".
 */
void stdio_title_put_thread_time(
	const struct result *result, uint64_t period, struct strbuf *out);
/* Appends "Event count (approx.): 1234", or with --off-cpu or --wall the thread time. */
void stdio_title_put_period(const struct result *result,
	const struct hist *hist, struct strbuf *out);

/* Writes CELL, with each SEPARATOR in it replaced by a point. */
void stdio_separated_put_cell(
	const char *cell, const char *separator, struct strbuf *out);

#endif
