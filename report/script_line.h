/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample as text, in the fields that were chosen and in perf script's
 * layout (tools/perf/Documentation/perf-script.txt).
 */
#ifndef DWELL_REPORT_SCRIPT_LINE_H
#define DWELL_REPORT_SCRIPT_LINE_H

#include "report/resolve.h"
#include "report/script_field.h"

enum script_clock {
	SCRIPT_CLOCK_FILE,  /* times as the recording has them */
	SCRIPT_CLOCK_FIRST, /* since the first sample that is shown */
	SCRIPT_CLOCK_LAST,  /* since the sample before */
};

struct script_style {
	struct script_choice choice;
	bool hides_chain;   /* the sampled address only */
	bool has_ns;        /* times to the nanosecond */
	uint64_t max_stack; /* frames of a chain */
	enum script_clock clock;
};

struct script_line;

/* All are borrowed until it is destroyed. Refuses fields that nobody has. */
struct error *script_line_create(const struct reader *reader,
	const struct survey *survey, struct resolver *resolver,
	const struct script_style *style,
	struct script_line **ret) _must_check_;
void script_line_destroy(struct script_line *line);

/* SAMPLE is of event number EVENT; AT is its thread's context. */
void script_line_put(struct script_line *line, size_t event,
	const struct sample *sample, const struct maps_context *at,
	struct strbuf *out);

/* What a line begins with, of a sample or of another record. */
struct script_start {
	uint32_t pid, tid, cpu;
	uint32_t subject; /* the thread that is named first: mostly tid */
	uint32_t comm;    /* its name, for survey_comm() */
	uint64_t time;    /* ns */
	const char *misc; /* letters for the field misc */
};
/* These, as far as they are among the fields of event number EVENT. */
void script_line_put_start(struct script_line *line, size_t event,
	const struct script_start *start, struct strbuf *out);

#endif
