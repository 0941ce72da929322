/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes counts, one line per row: as text for people in the layout of perf
 * stat, as CSV or as JSON with the fields of perf stat in the same order.
 */
#ifndef DWELL_RECORD_STAT_COUNT_LINES_H
#define DWELL_RECORD_STAT_COUNT_LINES_H

#include "common/util/strbuf.h"
#include "record/stat/count_table.h"

/* Appends TABLE to OUT, the thousands of counts separated if HAS_THOUSANDS. */
void count_lines_text(const struct count_table *table, bool has_thousands,
	struct strbuf *out);
/* Appends the names of the columns of an interval's table. */
void count_lines_header(const struct count_table *table, struct strbuf *out);
/* Appends TABLE to OUT, the fields separated by SEPARATOR. */
void count_lines_csv(const struct count_table *table, const char *separator,
	struct strbuf *out);
/* Appends TABLE to OUT, one JSON object per line. */
void count_lines_json(const struct count_table *table, struct strbuf *out);

#endif
