/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headings and rows of the report's text table. Each column is as wide as its
 * longest cell, or as --column-widths (-w) demands.
 */
#ifndef DWELL_REPORT_VIEW_STDIO_ALIGNED_H
#define DWELL_REPORT_VIEW_STDIO_ALIGNED_H

#include "report/result/result.h"

/* Width of each column in bytes, without the spaces before it. */
struct stdio_widths {
	size_t of[COLUMNS_MAX];
};

/* Computes the widths from all rows of HIST that are shown. */
void stdio_aligned_find(const struct result *result, const struct hist *hist,
	struct stdio_widths *ret);

/* Writes three lines: the column names, dots, and "#". */
void stdio_aligned_put_heads(const struct result *result,
	const struct stdio_widths *widths, struct strbuf *out);
/* Writes ROW of HIST as a line. WIDTHS are those of HIST. */
void stdio_aligned_put_row(const struct result *result, const struct hist *hist,
	const struct row *row, const struct stdio_widths *widths,
	struct strbuf *out);

#endif
