/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -t: heads and rows of the report's text table with the user's separator
 * between cells, and nothing that aligns them.
 */
#ifndef DWELL_REPORT_VIEW_STDIO_SEPARATED_H
#define DWELL_REPORT_VIEW_STDIO_SEPARATED_H

#include "report/result/result.h"

/* CELL, in which the separator becomes a point: it stands between cells only. */
void stdio_separated_put_cell(
	const char *cell, const char *separator, struct strbuf *out);
/* A line with the names of columns. */
void stdio_separated_put_heads(
	const struct result *result, struct strbuf *out);
/* ROW of HIST as a line. */
void stdio_separated_put_row(const struct result *result,
	const struct hist *hist, const struct row *row, struct strbuf *out);

#endif
