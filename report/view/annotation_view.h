/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats in which annotated functions are printed, one after the other. */
#ifndef DWELL_REPORT_VIEW_ANNOTATION_VIEW_H
#define DWELL_REPORT_VIEW_ANNOTATION_VIEW_H

#include "report/code/annotation.h"
#include "report/scan/inputs.h"

struct annotation_view {
	const char *name;
	/*
	 * .begin writes the text before the first function, .put each function,
	 * and .end the text after the last function. All append to OUT. Only
	 * the JSON format also passes OUT to output_some(), which prints a long
	 * text. The text format leaves the whole text in OUT, because the
	 * interactive view shows this text.
	 */
	void (*begin)(const struct inputs *inputs, struct strbuf *out);
	void (*put)(const struct annotation *annotation, bool is_first,
		struct strbuf *out);
	void (*end)(struct strbuf *out);
};
extern const struct annotation_view annotation_view_stdio, annotation_view_json;

/*
 * Appends the whole source file of the hottest line of ANNOTATION to OUT, each line with
 * its numbers, in the format of annotation_view_stdio. A file of the system is only used
 * if there is no other. Appends nothing if no file has text.
 */
void annotation_put_source_file(
	const struct annotation *annotation, struct strbuf *out);

#endif
