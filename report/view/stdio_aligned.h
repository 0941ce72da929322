/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Heads and rows of the report's text table, each column as wide as its longest
 * cell, or as -w wishes.
 */
#ifndef DWELL_REPORT_VIEW_STDIO_ALIGNED_H
#define DWELL_REPORT_VIEW_STDIO_ALIGNED_H

#include "report/result/result.h"

/* Bytes of each column, without the blanks before it. */
struct stdio_widths {
	size_t of[COLUMNS_MAX];
};

/* Looks at all rows of HIST that are shown. */
void stdio_aligned_find(const struct result *result, const struct hist *hist,
	struct stdio_widths *ret);

/* The names of columns, and dots below them: three lines. */
void stdio_aligned_put_heads(const struct result *result,
	const struct stdio_widths *widths, struct strbuf *out);
/* ROW of HIST, from whose rows WIDTHS are, as a line. */
void stdio_aligned_put_row(const struct result *result,
	const struct hist *hist, const struct row *row,
	const struct stdio_widths *widths, struct strbuf *out);

#endif
