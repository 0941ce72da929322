/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --tasks and --mmaps: the threads of a recording, their parents, and
 * the mappings of each process.
 */
#ifndef DWELL_REPORT_SCRIPT_TASKS_H
#define DWELL_REPORT_SCRIPT_TASKS_H

#include "report/survey/survey.h"

/*
 * Prints a line for each thread in SURVEY, the survey of READER, with child
 * threads below the parent thread. HAS_MAPS adds the mappings that the process
 * had at the end of the recording.
 */
void tasks_print(struct reader *reader, const struct survey *survey,
	bool has_maps, struct strbuf *out);
/*
 * Writes the threads in SURVEY, or with HAS_MAPS only the mappings by process,
 * in the format VIEW ("json" or "csv").
 */
void tasks_put_table(struct reader *reader, const struct survey *survey,
	bool has_maps, const char *view, struct strbuf *out);

#endif
