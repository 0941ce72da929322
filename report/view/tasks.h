/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --tasks and --mmaps: who ran, who made whom, and what was mapped. */
#ifndef DWELL_REPORT_VIEW_TASKS_H
#define DWELL_REPORT_VIEW_TASKS_H

#include "report/survey/survey.h"

/*
 * A line for each thread that SURVEY, of READER, knows: children below their
 * parents. With HAS_MAPS what its process had mapped in the end follows.
 */
void tasks_print(struct reader *reader, const struct survey *survey,
	bool has_maps, struct strbuf *out);
/*
 * The same for programs, as VIEW ("json", "csv"): with HAS_MAPS only what was
 * mapped, by process.
 */
void tasks_put_table(struct reader *reader, const struct survey *survey,
	bool has_maps, const char *view, struct strbuf *out);

#endif
