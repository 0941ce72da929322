/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The "lines" section: where the code that samples hit was written, and what was
 * inlined there, of each DSO that there is debug information of (doc/format.md).
 * A unit's addresses are offsets in the DSO's file, or what stands for them; it has
 * no ranges.
 */
#ifndef DWELL_PACKED_LINES_H
#define DWELL_PACKED_LINES_H

#include "common/reader.h"
#include "report/line_unit.h"

#define PACKED_LINES_VERSION 1u

struct dso;
struct packed_lines;

/* NULL if the recording has none. */
struct packed_lines *packed_lines_create(struct reader *reader);
/* What is sound of SECTION, which is taken: it is empty afterwards. */
struct packed_lines *packed_lines_read(struct strbuf *section);
/* NULL is fine. */
void packed_lines_destroy(struct packed_lines *packed);

/* The unit of DSO, whose build ID is ID; borrowed. NULL: there is none. */
const struct line_unit *packed_lines_find(const struct packed_lines *packed,
	const struct dso *dso, const struct build_id *id);

/* Appends what a section begins with, of N units, and each of these. */
void packed_lines_begin(uint32_t n, struct strbuf *out);
void packed_lines_put(const struct dso *dso, const struct build_id *id,
	const struct line_unit *unit, struct strbuf *out);

#endif
