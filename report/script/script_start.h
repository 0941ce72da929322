/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of perf script begins with, of a sample or of another record: who
 * it was, where and when.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_START_H
#define DWELL_REPORT_SCRIPT_SCRIPT_START_H

#include "report/survey/survey.h"
#include "report/util/script_style.h"

/* Of all lines, in their order; all zero but for the first three at first. */
struct script_starts {
	const struct survey *survey; /* borrowed */
	enum script_clock clock;
	bool has_ns;        /* times to the nanosecond */
	struct strbuf comm; /* the one that is being written */
	uint64_t since;     /* of relative times */
	bool has_since;
};
void script_starts_deinit(struct script_starts *starts);

struct script_start {
	uint32_t pid, tid, cpu;
	uint32_t subject; /* the thread that is named first: mostly tid */
	uint32_t comm;    /* its name, for survey_comm() */
	uint64_t time;    /* ns */
	const char *misc; /* letters for the field misc */
};
/*
 * Those of FIELDS that are START's. IS_NARROW: names aren't filled up, as
 * before a callchain.
 */
void script_starts_put(struct script_starts *starts, uint32_t fields,
	bool is_narrow, const struct script_start *start, struct strbuf *out);

#endif
