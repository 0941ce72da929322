/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a line_unit of what is told of its code in any order. What doesn't fit
 * (further than 4 GB from the base, too much of anything) is left out.
 */
#ifndef DWELL_REPORT_LINES_LINE_BUILDER_H
#define DWELL_REPORT_LINES_LINE_BUILDER_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"
#include "report/lines/line_unit.h"

/* Of one unit: lines, and stretches of code of inlined functions. */
#define LINE_BUILDER_MAX (UINT32_C(1) << 24)

struct line_builder {
	uint64_t base;
	ARRAY(struct line_range) ranges;
	ARRAY(struct line_row {
		uint32_t start, file, line, order;
	}) rows;
	ARRAY(struct line_node) nodes;
	ARRAY(struct line_stretch {
		uint32_t start, end, node, depth;
	}) stretches;
	struct strbuf texts;
	struct hash_index by_text;
};

/* A zeroed one begins with that. BASE is the lowest address. */
void line_builder_init(struct line_builder *builder, uint64_t base);
void line_builder_deinit(struct line_builder *builder);

/* TEXT is copied; NULL has none. */
uint32_t line_builder_text(struct line_builder *builder, const char *text);
/* Code of the unit. */
void line_builder_range(
	struct line_builder *builder, uint64_t start, uint64_t end);
/* From ADDRESS on the code is FILE's; of rows of one address the last counts. */
void line_builder_row(struct line_builder *builder, uint64_t address,
	uint32_t file, uint32_t line);
/* Its number; LINE_NONE: there are too many. */
uint32_t line_builder_node(
	struct line_builder *builder, const struct line_node *node);
/* NODE has this code; what is deeper in it, with more DEPTH, wins. */
void line_builder_stretch(struct line_builder *builder, uint64_t start,
	uint64_t end, uint32_t node, uint32_t depth);

/* The unit, owned by the caller; BUILDER is to be given to deinit. */
struct line_unit *line_builder_finish(struct line_builder *builder);

#endif
