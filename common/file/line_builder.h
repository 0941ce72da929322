/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds a line_unit from lines and inlined functions, which are added in any
 * order. Data that does not fit (an address more than 4 GB above the base, too
 * many elements) is left out.
 */
#ifndef DWELL_COMMON_FILE_LINE_BUILDER_H
#define DWELL_COMMON_FILE_LINE_BUILDER_H

#include "common/file/line_unit.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

/* Limit of the elements of each array of a unit. */
#define LINE_BUILDER_MAX (UINT32_C(1) << 24)

struct line_builder {
	uint64_t base;
	ARRAY(struct line_range) ranges;
	ARRAY(struct line_row { uint32_t start, file, line, order; }) rows;
	ARRAY(struct line_node) nodes;
	ARRAY(struct line_function) functions;
	ARRAY(struct line_stretch { uint32_t start, end, node, depth; })
	stretches;
	struct strbuf texts;
	struct hash_index by_text, by_function;
};

/* Initializes BUILDER. BASE is the lowest address of the unit. */
void line_builder_init(struct line_builder *builder, uint64_t base);
void line_builder_deinit(struct line_builder *builder);

/*
 * Returns the number of TEXT, its offset in the texts of the unit. TEXT is
 * copied. Returns LINE_NONE if TEXT is NULL or the texts are too large.
 */
uint32_t line_builder_text(struct line_builder *builder, const char *text);
/* Adds a code range of the unit. */
void line_builder_range(
	struct line_builder *builder, uint64_t start, uint64_t end);
/*
 * Adds a row of the line table: the code from ADDRESS on is of LINE in FILE, a
 * text number. Of several rows with the same address, the last one is used.
 */
void line_builder_row(struct line_builder *builder, uint64_t address,
	uint32_t file, uint32_t line);
/*
 * Returns the number of FUNCTION, which is added if it is new. Returns
 * LINE_NONE if there are too many functions or FUNCTION has no name.
 */
uint32_t line_builder_function(
	struct line_builder *builder, const struct line_function *function);
/*
 * Adds the inlined function NODE. Returns its number, or LINE_NONE if there are
 * too many inlined functions or NODE has no function.
 */
uint32_t line_builder_node(
	struct line_builder *builder, const struct line_node *node);
/*
 * Adds a code range of the inlined function with number NODE. Where ranges
 * overlap, the range with the larger DEPTH is used.
 */
void line_builder_stretch(struct line_builder *builder, uint64_t start,
	uint64_t end, uint32_t node, uint32_t depth);

/*
 * Returns the unit, owned by the caller. BUILDER must still be freed with
 * line_builder_deinit().
 */
struct line_unit *line_builder_finish(struct line_builder *builder);

#endif
