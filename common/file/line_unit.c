/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/line_unit.h"

#include "common/util/array.h"

/* Limit of the size of a unit with all its arrays, in bytes. */
#define SIZE_MAX_OF_UNIT GIB(1)

size_t line_unit_size(const struct line_unit *unit)
{
	uint64_t size = sizeof(*unit) +
		(uint64_t)unit->n_ranges * sizeof(struct line_range) +
		(uint64_t)unit->n_pieces * sizeof(struct line_piece) +
		(uint64_t)unit->n_nodes * sizeof(struct line_node) +
		(uint64_t)unit->n_functions * sizeof(struct line_function) +
		unit->texts_size;

	return size <= SIZE_MAX_OF_UNIT ? size : 0;
}

struct line_range *line_unit_ranges(const struct line_unit *unit)
{
	return (struct line_range *)(unit + 1);
}

struct line_piece *line_unit_pieces(const struct line_unit *unit)
{
	return (struct line_piece *)(line_unit_ranges(unit) + unit->n_ranges);
}

struct line_node *line_unit_nodes(const struct line_unit *unit)
{
	return (struct line_node *)(line_unit_pieces(unit) + unit->n_pieces);
}

struct line_function *line_unit_functions(const struct line_unit *unit)
{
	return (struct line_function *)(line_unit_nodes(unit) + unit->n_nodes);
}

char *line_unit_texts(const struct line_unit *unit)
{
	return (char *)(line_unit_functions(unit) + unit->n_functions);
}

static bool is_unit_text(const struct line_unit *unit, uint32_t text)
{
	return text < unit->texts_size || text == LINE_NONE;
}

bool line_unit_is_sound(const struct line_unit *unit, size_t size)
{
	const struct line_range *ranges;
	const struct line_piece *pieces;
	const struct line_node *nodes;
	const struct line_function *functions;
	uint32_t i;

	if (size < sizeof(*unit) || line_unit_size(unit) != size)
		return false;
	if (unit->texts_size &&
		line_unit_texts(unit)[unit->texts_size - 1] != '\0')
		return false;
	ranges = line_unit_ranges(unit);
	for (i = 0; i < unit->n_ranges; i++)
		if (ranges[i].start >= ranges[i].end ||
			(i && ranges[i].start < ranges[i - 1].end))
			return false;
	pieces = line_unit_pieces(unit);
	for (i = 0; i < unit->n_pieces; i++)
		if ((i && pieces[i].start <= pieces[i - 1].start) ||
			!is_unit_text(unit, pieces[i].file) ||
			(pieces[i].node >= unit->n_nodes &&
				pieces[i].node != LINE_NONE))
			return false;
	/*
	 * A parent has a lower number than its child, so that the parents
	 * contain no cycle.
	 */
	nodes = line_unit_nodes(unit);
	for (i = 0; i < unit->n_nodes; i++)
		if ((nodes[i].parent >= i && nodes[i].parent != LINE_NONE) ||
			nodes[i].function >= unit->n_functions ||
			!is_unit_text(unit, nodes[i].call_file))
			return false;
	functions = line_unit_functions(unit);
	for (i = 0; i < unit->n_functions; i++)
		if (functions[i].name >= unit->texts_size ||
			!is_unit_text(unit, functions[i].qualified) ||
			!is_unit_text(unit, functions[i].file))
			return false;
	return true;
}

/* Returns the number of pieces that begin at ADDRESS or before. */
static uint32_t count_line_pieces(
	const struct line_unit *unit, uint64_t address)
{
	const struct {
		const struct line_piece *at;
		size_t n;
	} pieces = { line_unit_pieces(unit), unit->n_pieces };

	if (address < unit->base)
		return 0;
	address -= unit->base;
	return (uint32_t)array_count_before(
		&pieces, piece, piece->start <= address);
}

uint64_t line_unit_until(const struct line_unit *unit, uint64_t address)
{
	uint32_t n = count_line_pieces(unit, address);

	return n < unit->n_pieces ? unit->base + line_unit_pieces(unit)[n].start
				  : UINT64_MAX;
}

static const char *find_unit_text(const struct line_unit *unit, uint32_t text)
{
	return text == LINE_NONE ? NULL : line_unit_texts(unit) + text;
}

size_t line_unit_frames(const struct line_unit *unit, uint64_t address,
	struct line_frame ret[LINE_DEPTH_MAX])
{
	uint32_t n_pieces = count_line_pieces(unit, address);
	const struct line_piece *piece =
		n_pieces && address - unit->base <= UINT32_MAX
		? &line_unit_pieces(unit)[n_pieces - 1]
		: NULL;
	const struct line_node *nodes = line_unit_nodes(unit);
	const struct line_function *functions = line_unit_functions(unit);
	const struct line_function *function;
	uint32_t file, line, node;
	size_t n = 0;

	if (!piece || (piece->file == LINE_NONE && piece->node == LINE_NONE))
		return 0;
	file = piece->file;
	line = piece->line;
	/* The last frame is the function that is not inlined. */
	for (node = piece->node;; node = nodes[node].parent) {
		ret[n++] = (struct line_frame){
			.file = find_unit_text(unit, file),
			.line = line,
		};
		if (node == LINE_NONE || n == LINE_DEPTH_MAX)
			return n;
		function = &functions[nodes[node].function];
		ret[n - 1].name = find_unit_text(unit, function->name);
		ret[n - 1].declared = (struct line_declaration){
			.qualified = find_unit_text(unit, function->qualified),
			.file = find_unit_text(unit, function->file),
			.line = function->line,
			.column = function->column,
			.is_lambda = function->flags & LINE_LAMBDA,
		};
		file = nodes[node].call_file;
		line = nodes[node].call_line;
	}
}
