/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/line_builder.h"

#include "common/util/alloc.h"

void line_builder_init(struct line_builder *builder, uint64_t base)
{
	*builder = (struct line_builder){ .base = base };
}

void line_builder_deinit(struct line_builder *builder)
{
	array_free(&builder->ranges);
	array_free(&builder->rows);
	array_free(&builder->nodes);
	array_free(&builder->functions);
	array_free(&builder->stretches);
	strbuf_free(&builder->texts);
	hash_free(&builder->by_text);
	hash_free(&builder->by_function);
}

uint32_t line_builder_text(struct line_builder *builder, const char *text)
{
	uint32_t n = (uint32_t)builder->texts.n;
	uint64_t hash;
	size_t size;

	if (!text)
		return LINE_NONE;
	hash = hash_string(text);
	hash_each_match(&builder->by_text, hash, i)
		if (string_is(builder->texts.at + i, text))
			return i;
	size = strlen(text) + 1;
	if (builder->texts.n + size >= LINE_NONE)
		return LINE_NONE;
	strbuf_put(&builder->texts, text, size);
	hash_insert(&builder->by_text, hash, n);
	return n;
}

/*
 * Stores the offset of ADDRESS from the unit's base in RET. Returns false if
 * the offset does not fit into 32 bits.
 */
static bool find_base_offset(
	const struct line_builder *builder, uint64_t address, uint32_t *ret)
{
	if (address < builder->base || address - builder->base >= UINT32_MAX)
		return false;
	*ret = (uint32_t)(address - builder->base);
	return true;
}

void line_builder_range(
	struct line_builder *builder, uint64_t start, uint64_t end)
{
	struct line_range range;

	if (start < end && builder->ranges.n < LINE_BUILDER_MAX &&
		find_base_offset(builder, start, &range.start) &&
		find_base_offset(builder, end, &range.end))
		*array_push(&builder->ranges) = range;
}

void line_builder_row(struct line_builder *builder, uint64_t address,
	uint32_t file, uint32_t line)
{
	struct line_row row = {
		.file = file, .line = line, .order = (uint32_t)builder->rows.n
	};

	if (builder->rows.n < LINE_BUILDER_MAX &&
		find_base_offset(builder, address, &row.start))
		*array_push(&builder->rows) = row;
}

uint32_t line_builder_function(
	struct line_builder *builder, const struct line_function *function)
{
	uint64_t hash = hash_bytes(function, sizeof(*function));
	uint32_t n = (uint32_t)builder->functions.n;

	hash_each_match(&builder->by_function, hash, i)
		if (builder->functions.at[i].name == function->name &&
			builder->functions.at[i].qualified ==
				function->qualified &&
			builder->functions.at[i].file == function->file &&
			builder->functions.at[i].line == function->line &&
			builder->functions.at[i].column == function->column &&
			builder->functions.at[i].flags == function->flags)
			return i;
	if (n >= LINE_BUILDER_MAX || function->name == LINE_NONE)
		return LINE_NONE;
	hash_insert(&builder->by_function, hash, n);
	*array_push(&builder->functions) = *function;
	return n;
}

uint32_t line_builder_node(
	struct line_builder *builder, const struct line_node *node)
{
	if (builder->nodes.n >= LINE_BUILDER_MAX || node->function == LINE_NONE)
		return LINE_NONE;
	*array_push(&builder->nodes) = *node;
	return (uint32_t)builder->nodes.n - 1;
}

void line_builder_stretch(struct line_builder *builder, uint64_t start,
	uint64_t end, uint32_t node, uint32_t depth)
{
	struct line_stretch stretch = { .node = node, .depth = depth };

	if (start < end && builder->stretches.n < LINE_BUILDER_MAX &&
		find_base_offset(builder, start, &stretch.start) &&
		find_base_offset(builder, end, &stretch.end))
		*array_push(&builder->stretches) = stretch;
}

/* --- nested ranges become steps ------------------------------------------ */

struct nesting_step {
	/*
	 * start of a code range that ends at the next step; innermost inlined
	 * function of the range
	 */
	uint32_t start, node;
};

struct flattening {
	ARRAY(struct nesting_step) steps;
	/* ranges that contain the current address, the innermost last */
	ARRAY(const struct line_stretch *) open;
	ARRAY(uint32_t)
	ends; /* ends of .open, limited to the enclosing range */
};

static int compare_inlined_stretches(const void *a, const void *b)
{
	const struct line_stretch *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	if (left->depth != right->depth)
		return COMPARE(left->depth, right->depth);
	return COMPARE(left->node, right->node);
}

static void add_flat_step(struct flattening *flattening, uint32_t start)
{
	size_t n = flattening->open.n, last = flattening->steps.n;
	uint32_t node = n ? flattening->open.at[n - 1]->node : LINE_NONE;

	if (last && flattening->steps.at[last - 1].start == start)
		flattening->steps.at[last - 1].node = node;
	else
		*array_push(&flattening->steps) =
			(struct nesting_step){ start, node };
}

static void close_stretches_until(struct flattening *flattening, uint64_t start)
{
	while (flattening->open.n &&
		flattening->ends.at[flattening->ends.n - 1] <= start) {
		uint32_t end = flattening->ends.at[--flattening->ends.n];

		flattening->open.n--;
		add_flat_step(flattening, end);
	}
}

/* --- rows and steps become pieces ---------------------------------------- */

struct line_pieces {
	ARRAY(struct line_piece) list;
};

static int compare_line_rows(const void *a, const void *b)
{
	const struct line_row *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

static int compare_line_ranges(const void *a, const void *b)
{
	const struct line_range *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->end, right->end);
}

static struct line_unit *pack_line_unit(
	const struct line_builder *builder, const struct line_pieces *pieces)
{
	struct line_unit head = { .base = builder->base,
		.n_ranges = (uint32_t)builder->ranges.n,
		.n_pieces = (uint32_t)pieces->list.n,
		.n_nodes = (uint32_t)builder->nodes.n,
		.texts_size = (uint32_t)builder->texts.n,
		.n_functions = (uint32_t)builder->functions.n };
	struct line_unit *unit;

	if (!line_unit_size(&head))
		head.n_pieces = head.n_nodes = head.n_functions =
			head.texts_size = 0;
	unit = xcalloc(1, line_unit_size(&head));
	*unit = head;
	if (head.n_ranges)
		memcpy(line_unit_ranges(unit), builder->ranges.at,
			head.n_ranges * sizeof(struct line_range));
	if (head.n_pieces)
		memcpy(line_unit_pieces(unit), pieces->list.at,
			head.n_pieces * sizeof(struct line_piece));
	if (head.n_nodes)
		memcpy(line_unit_nodes(unit), builder->nodes.at,
			head.n_nodes * sizeof(struct line_node));
	if (head.n_functions)
		memcpy(line_unit_functions(unit), builder->functions.at,
			head.n_functions * sizeof(struct line_function));
	if (head.texts_size)
		memcpy(line_unit_texts(unit), builder->texts.at,
			head.texts_size);
	return unit;
}

struct line_unit *line_builder_finish(struct line_builder *builder)
{
	struct flattening flattening = { 0 };
	struct line_unit *unit;
	struct line_pieces pieces = { 0 };

	struct line_range *at = builder->ranges.at;
	size_t kept = 0, i;

	array_sort(&builder->ranges, compare_line_ranges);
	for (i = 1; i < builder->ranges.n; i++)
		if (at[i].start <= at[kept].end)
			at[kept].end = MAX(at[kept].end, at[i].end);
		else
			at[++kept] = at[i];
	builder->ranges.n = MIN(builder->ranges.n, kept + 1);
	array_sort(&builder->rows, compare_line_rows);
	array_sort(&builder->stretches, compare_inlined_stretches);
	array_each(&builder->stretches, stretch) {
		uint32_t end = stretch->end;

		close_stretches_until(&flattening, stretch->start);
		/*
		 * A range that ends behind its enclosing range is cut: such
		 * debug information is wrong.
		 */
		if (flattening.ends.n)
			end = MIN(
				end, flattening.ends.at[flattening.ends.n - 1]);
		*array_push(&flattening.open) = stretch;
		*array_push(&flattening.ends) = end;
		add_flat_step(&flattening, stretch->start);
	}
	close_stretches_until(&flattening, UINT64_MAX);
	struct line_piece piece = { 0, LINE_NONE, 0, LINE_NONE };
	size_t row = 0, step = 0;

	while (row < builder->rows.n || step < flattening.steps.n) {
		if (row < builder->rows.n &&
			(step == flattening.steps.n ||
				builder->rows.at[row].start <=
					flattening.steps.at[step].start)) {
			piece.start = builder->rows.at[row].start;
			piece.file = builder->rows.at[row].file;
			piece.line = builder->rows.at[row++].line;
		} else {
			piece.start = flattening.steps.at[step].start;
			piece.node = flattening.steps.at[step++].node;
		}
		struct line_piece *last = pieces.list.n
			? &pieces.list.at[pieces.list.n - 1]
			: NULL;

		if (last && last->start == piece.start)
			*last = piece;
		else if (!last || last->file != piece.file ||
			last->line != piece.line || last->node != piece.node)
			*array_push(&pieces.list) = piece;
	}
	unit = pack_line_unit(builder, &pieces);
	array_free(&pieces.list);
	array_free(&flattening.steps);
	array_free(&flattening.open);
	array_free(&flattening.ends);
	return unit;
}
