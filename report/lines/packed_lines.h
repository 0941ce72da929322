/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section "lines": source lines and inlined functions of the sampled code
 * of each DSO with debug information (doc/format.md). The addresses of a unit
 * are offsets in the file of the DSO (for JIT code, the numbers that replace
 * offsets). A unit has no ranges.
 */
#ifndef DWELL_REPORT_LINES_PACKED_LINES_H
#define DWELL_REPORT_LINES_PACKED_LINES_H

#include "common/file/line_unit.h"
#include "common/file/packed_dsos.h"

#define PACKED_LINES_VERSION LINE_UNIT_VERSION
/* In this version, inlined functions have a linkage name only. */
#define PACKED_LINES_OLD_VERSION 1u

/*
 * Reads the section "lines" of a recording, also of the old version; the data
 * of each DSO is a struct line_unit. Returns NULL if the recording has no such
 * section.
 */
struct packed_dsos *packed_lines_create(struct reader *reader);
/*
 * Reads the units of SECTION, of VERSION, up to the first invalid one. Takes
 * the memory of SECTION, which is empty afterwards.
 */
struct packed_dsos *packed_lines_read(struct strbuf *section, uint32_t version);

#endif
