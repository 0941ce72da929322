/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where code that was made at run time was written, as the process's jitdump
 * tells: the counterpart of a line_source (line_source.h) for code without a
 * file. What runtimes inline there they don't tell.
 */
#ifndef DWELL_REPORT_LINES_JIT_LINES_H
#define DWELL_REPORT_LINES_JIT_LINES_H

#include "report/lines/line_unit.h"
#include "report/survey/jitdumps.h"

struct line_made;

/* Of CODE, which is borrowed. NULL if there is no dump. */
struct line_made *line_made_create(const struct dump_code *code);
/* NULL is fine. */
void line_made_destroy(struct line_made *made);

/*
 * As line_source_frames(), of an offset as dumps_code_of() knows it: 1, or 0 if
 * nobody tells. The text is borrowed until destroyed.
 */
size_t line_made_frames(struct line_made *made, uint64_t offset,
	uint64_t back, struct line_frame *ret);

#endif
