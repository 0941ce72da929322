/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the counts of records by type, in the shape of perf report --stats, and the
 * numbers of frames of language runtimes.
 */
#ifndef DWELL_REPORT_SCRIPT_STATS_H
#define DWELL_REPORT_SCRIPT_STATS_H

#include "report/survey/survey.h"

/*
 * Appends the counts in SURVEY to OUT as text. SURVEY was made with
 * SURVEY_SAMPLES.
 */
void stats_print(
	const struct survey *survey, struct reader *reader, struct strbuf *out);
/*
 * Appends the counts in SURVEY and of READER's recording to OUT in the format VIEW ("json" or
 * "csv").
 */
void stats_put_table(const struct survey *survey, struct reader *reader,
	const char *view, struct strbuf *out);

#endif
