/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints one sample with the chosen fields in the layout of perf script
 * (tools/perf/Documentation/perf-script.txt).
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_LINE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_LINE_H

#include "report/resolve/resolve.h"
#include "report/script/script_start.h"
#include "report/util/script_style.h"

struct script_line;

/*
 * Borrows all arguments until script_line_destroy(). Returns an error for
 * fields that no event of the recording has.
 */
struct error *script_line_create(const struct reader *reader,
	const struct survey *survey, struct resolver *resolver,
	const struct script_style *style,
	struct script_line **ret) _must_check_;
void script_line_destroy(struct script_line *line);

/* Appends SAMPLE of event number EVENT to OUT; AT is the context of its thread.
 */
void script_line_put(struct script_line *line, size_t event,
	const struct sample *sample, const struct maps_context *at,
	struct strbuf *out);

/* Appends the chosen fields of START for event number EVENT to OUT. */
void script_line_put_start(struct script_line *line, size_t event,
	const struct script_start *start, struct strbuf *out);

#endif
