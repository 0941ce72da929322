/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes counts as text for people, in the layout of perf stat: the count, its
 * unit, the event, and after # a metric.
 */
#ifndef DWELL_RECORD_STAT_COUNT_TEXT_H
#define DWELL_RECORD_STAT_COUNT_TEXT_H

#include "common/util/strbuf.h"
#include "record/stat/count_table.h"

/* Appends TABLE to OUT, one line per row. */
void count_text(const struct count_table *table, bool has_thousands,
	struct strbuf *out);

#endif
