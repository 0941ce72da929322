/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines of JIT code from the jitdump of its process: the counterpart of
 * line_source.h for code without a file. Jitdumps do not contain inlined
 * functions.
 */
#ifndef DWELL_REPORT_LINES_JIT_LINES_H
#define DWELL_REPORT_LINES_JIT_LINES_H

#include "report/lines/line_unit.h"
#include "report/survey/jitdumps.h"

struct jit_lines;

/* CODE is borrowed. Returns NULL if there is no jitdump. */
struct jit_lines *jit_lines_create(const struct dump_code *code);
/* JIT may be NULL. */
void jit_lines_destroy(struct jit_lines *jit);

/*
 * Like line_source_frames(), for an offset of dumps_code_of() minus BACK bytes.
 * Returns 1, or 0 if the line is unknown. The text is valid until
 * jit_lines_destroy().
 */
size_t jit_lines_frames(struct jit_lines *jit, uint64_t offset, uint64_t back,
	struct line_frame *ret);

#endif
