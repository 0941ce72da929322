/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample as text, in the fields that were chosen and in perf script's
 * layout (tools/perf/Documentation/perf-script.txt).
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_LINE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_LINE_H

#include "report/resolve/resolve.h"
#include "report/script/script_start.h"
#include "report/util/script_style.h"

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

/* START, as far as it is among the fields of event number EVENT. */
void script_line_put_start(struct script_line *line, size_t event,
	const struct script_start *start, struct strbuf *out);

#endif
