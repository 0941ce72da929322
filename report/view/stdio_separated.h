/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headings and rows of the report's text table for --field-separator (-t):
 * cells are separated by the user's text and not aligned.
 */
#ifndef DWELL_REPORT_VIEW_STDIO_SEPARATED_H
#define DWELL_REPORT_VIEW_STDIO_SEPARATED_H

#include "report/result/result.h"

/* Writes CELL, with each SEPARATOR in it replaced by a point. */
void stdio_separated_put_cell(
	const char *cell, const char *separator, struct strbuf *out);
/* Writes a line with the column names. */
void stdio_separated_put_heads(const struct result *result, struct strbuf *out);
/* Writes ROW of HIST as a line. */
void stdio_separated_put_row(const struct result *result,
	const struct hist *hist, const struct row *row, struct strbuf *out);

#endif
