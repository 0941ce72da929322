/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways to show annotated functions, one after the other. */
#ifndef DWELL_REPORT_VIEW_ANNOTATION_VIEW_H
#define DWELL_REPORT_VIEW_ANNOTATION_VIEW_H

#include "report/code/annotation.h"
#include "report/scan/inputs.h"

struct annotation_view {
	const char *name;
	/*
	 * Before the first function, for each, after the last one: each appends to
	 * OUT. Only the JSON view also writes OUT when it is long (output_some());
	 * stdio's whole text stays in OUT, because the interactive view shows it.
	 */
	void (*begin)(const struct inputs *inputs, struct strbuf *out);
	void (*put)(const struct annotation *annotation, bool is_first,
		struct strbuf *out);
	void (*end)(struct strbuf *out);
};
extern const struct annotation_view annotation_view_stdio,
	annotation_view_json;

#endif
