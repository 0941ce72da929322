/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first fields of a line of dwell script, of a sample or another record:
 * thread, CPU and time.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_START_H
#define DWELL_REPORT_SCRIPT_SCRIPT_START_H

#include "report/survey/survey.h"
#include "report/util/script_style.h"

/*
 * State of all lines, which are printed in order. The caller sets the first
 * three members and zeroes the others.
 */
struct script_starts {
	const struct survey *survey; /* borrowed */
	enum script_clock clock;
	bool has_ns;	    /* times in nanoseconds */
	struct strbuf comm; /* buffer */
	uint64_t since;	    /* start of relative times, ns */
	bool has_since;
};
void script_starts_deinit(struct script_starts *starts);

struct script_start {
	uint32_t pid, tid, cpu;
	uint32_t subject; /* thread whose name is printed, usually tid */
	uint32_t comm;	  /* its name, for survey_comm() */
	uint64_t time;	  /* ns */
	const char *misc; /* letters of the field misc */
};
/*
 * Appends those of FIELDS that START contains to OUT. IS_NARROW: names are not
 * padded, for lines before a call chain.
 */
void script_starts_put(struct script_starts *starts, uint32_t fields,
	bool is_narrow, const struct script_start *start, struct strbuf *out);

#endif
