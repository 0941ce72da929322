/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counts of records by type, in the lines that perf prints for them. */
#ifndef DWELL_REPORT_VIEW_STATS_H
#define DWELL_REPORT_VIEW_STATS_H

#include "report/survey/survey.h"

/* SURVEY must have been a full one. */
void stats_print(const struct survey *survey, const struct reader *reader,
	struct strbuf *out);
/* The same for programs, as VIEW ("json", "csv"). */
void stats_put_table(const struct survey *survey, const struct reader *reader,
	const char *view, struct strbuf *out);

#endif
