/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints one sample with the chosen fields in the layout of perf script
 * (tools/perf/Documentation/perf-script.txt).
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_LINE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_LINE_H

#include "report/resolve/resolve.h"
#include "report/survey/survey.h"
#include "report/util/style.h"

struct script_line;

/*
 * Creates a printer of lines, which borrows all arguments until
 * script_line_destroy(). Returns an error if STYLE selects a field that no
 * event of the recording has.
 */
struct error *script_line_create(const struct reader *reader,
	const struct survey *survey, struct resolver *resolver,
	const struct style_script *style,
	struct script_line **ret) _must_check_;
void script_line_destroy(struct script_line *line);

/*
 * Appends the line of SAMPLE, a sample of event number EVENT, to OUT. AT
 * contains the name and the address space of the sampled thread.
 */
void script_line_put(struct script_line *line, size_t event,
	const struct sample *sample, const struct maps_context *at,
	struct strbuf *out);

/*
 * The first fields in the line of a sample or of another record: thread, CPU
 * and time.
 */
struct script_start {
	uint32_t pid, tid, cpu;
	uint32_t subject; /* thread whose name is printed, usually tid */
	uint32_t comm;	  /* name of the thread .subject, a number for
			     survey_comm() */
	uint64_t time;	  /* ns */
	const char *misc; /* letters of the field misc */
};
/* Appends the chosen fields of START for event number EVENT to OUT. */
void script_line_put_start(struct script_line *line, size_t event,
	const struct script_start *start, struct strbuf *out);

#endif
