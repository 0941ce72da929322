/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --tasks and --mmaps: the threads of a recording, their parents, and
 * the mappings of each process.
 */
#ifndef DWELL_REPORT_SCRIPT_TASKS_H
#define DWELL_REPORT_SCRIPT_TASKS_H

#include "report/survey/survey.h"

/*
 * Prints a line for each thread in SURVEY, which is of READER, with children
 * below their parents. HAS_MAPS adds the mappings that the process had at the
 * end.
 */
void tasks_print(struct reader *reader, const struct survey *survey,
	bool has_maps, struct strbuf *out);
/*
 * Writes the same as VIEW ("json", "csv"); with HAS_MAPS only the mappings, by
 * process.
 */
void tasks_put_table(struct reader *reader, const struct survey *survey,
	bool has_maps, const char *view, struct strbuf *out);

#endif
