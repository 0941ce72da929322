/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cells of the report's text table say, without how they stand beside
 * each other: see stdio_aligned.h, stdio_separated.h and tui_page.h for that.
 */
#ifndef DWELL_REPORT_VIEW_STDIO_CELL_H
#define DWELL_REPORT_VIEW_STDIO_CELL_H

#include "report/result/result.h"

#define STDIO_SHARE_WIDTH 8 /* "100.00%" and a blank before it */
#define STDIO_COUNT_WIDTH 12

/*
 * The least width of a column: that of its head, or of its numbers, one of each
 * event of HIST's group.
 */
size_t stdio_cell_width(const struct field *field, const struct hist *hist);

/* What is written over column number COLUMN; borrowed from RESULT. */
const char *stdio_cell_head(const struct result *result, size_t column);

/* What ROW has in column number COLUMN, which is of a FIELD_KEY. */
void stdio_cell_text(const struct result *result, const struct row *row,
	size_t column, struct strbuf *out);

/* Whether a share of so many percent is worth a colour. */
enum stdio_heat {
	HEAT_NONE,
	HEAT_WARM,
	HEAT_HOT,
};
enum stdio_heat stdio_cell_heat(double percent);
/* The escape sequence that a share of PERCENT begins with, "": none. */
const char *stdio_cell_colour(const struct options *options, double percent);

/*
 * Other fields have a number for each event of a group, HIST's own as number 0:
 * 0 where that event was never seen there.
 */
uint64_t stdio_cell_number(
	const struct row *row, const struct field *field, size_t event);
/* The same of a FIELD_SHARE, in percent of that event's total. */
double stdio_cell_share(const struct hist *hist, const struct row *row,
	const struct field *field, size_t event);

#endif
