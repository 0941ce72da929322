/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "lines" section: where the code that samples hit was written, and what was
 * inlined there, of each DSO that there is debug information of (doc/format.md).
 * A unit's addresses are offsets in the DSO's file, or what stands for them; it has
 * no ranges.
 */
#ifndef DWELL_REPORT_LINES_PACKED_LINES_H
#define DWELL_REPORT_LINES_PACKED_LINES_H

#include "report/lines/line_unit.h"
#include "report/symbols/packed_dsos.h"

#define PACKED_LINES_VERSION 1u

/* Each piece is a struct line_unit. NULL if the recording has none. */
struct packed_dsos *packed_lines_create(struct reader *reader);
/* What is sound of SECTION, which is taken: it is empty afterwards. */
struct packed_dsos *packed_lines_read(struct strbuf *section);

#endif
