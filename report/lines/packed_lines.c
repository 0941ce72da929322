/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/packed_lines.h"

#include "common/file/line_builder.h"

/* The layout of a unit in the old version, and of its inlined functions. */
struct old_unit {
	uint64_t base;
	uint32_t n_ranges, n_pieces, n_nodes, texts_size;
};
struct old_node {
	uint32_t parent, name, call_file, call_line;
};

/* The arrays of an old unit. */
struct old_parts {
	const struct old_unit *unit;
	const void *ranges, *pieces;
	const struct old_node *nodes;
	const char *texts;
};

/* Offset of the size of the unit in the entry of a DSO. */
#define ENTRY_SIZE_OFFSET 28u

static bool is_line_unit(const void *piece, size_t size)
{
	return line_unit_is_sound(piece, size);
}

static bool find_old_parts(
	const void *piece, size_t size, struct old_parts *ret)
{
	struct bytes b = bytes_of(piece, size, false);
	const struct old_unit *unit = bytes_take(&b, sizeof(*unit));

	if (!b.ok)
		return false;
	*ret = (struct old_parts){ .unit = unit };
	ret->ranges = bytes_take(
		&b, (size_t)unit->n_ranges * sizeof(struct line_range));
	ret->pieces = bytes_take(
		&b, (size_t)unit->n_pieces * sizeof(struct line_piece));
	ret->nodes =
		bytes_take(&b, (size_t)unit->n_nodes * sizeof(struct old_node));
	ret->texts = (const char *)bytes_take(&b, unit->texts_size);
	return b.ok && !bytes_left(&b);
}

/*
 * Appends the unit OLD in the present version. Invalid values stay invalid:
 * the caller of packed_lines_read() gets no unit that is not sound.
 */
static void put_converted_unit(const struct old_parts *old, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf nodes = { 0 };
	struct line_unit head = { .base = old->unit->base,
		.n_ranges = old->unit->n_ranges,
		.n_pieces = old->unit->n_pieces,
		.n_nodes = old->unit->n_nodes,
		.texts_size = old->unit->texts_size };
	struct line_builder functions;

	line_builder_init(&functions, head.base);
	/*
	 * Convert the nodes and collect their functions. Nodes of the same name
	 * have one function.
	 */
	uint32_t i;

	for (i = 0; i < old->unit->n_nodes; i++) {
		const struct old_node *from = &old->nodes[i];
		const struct line_function function = { .name = from->name,
			.qualified = LINE_NONE,
			.file = LINE_NONE };
		const struct line_node node = { .parent = from->parent,
			.function =
				line_builder_function(&functions, &function),
			.call_file = from->call_file,
			.call_line = from->call_line };

		strbuf_put(&nodes, &node, sizeof(node));
	}
	head.n_functions = (uint32_t)functions.functions.n;
	strbuf_put(out, &head, sizeof(head));
	strbuf_put(out, old->ranges,
		(size_t)head.n_ranges * sizeof(struct line_range));
	strbuf_put(out, old->pieces,
		(size_t)head.n_pieces * sizeof(struct line_piece));
	strbuf_put(out, nodes.at, nodes.n);
	strbuf_put(out, functions.functions.at,
		head.n_functions * sizeof(struct line_function));
	strbuf_put(out, old->texts, head.texts_size);
	line_builder_deinit(&functions);
}

struct packed_dsos *packed_lines_read(struct strbuf *section, uint32_t version)
{
	if (version == PACKED_LINES_OLD_VERSION) {
		/*
		 * Replace the section, of the old version, by a section of the
		 * present version.
		 */
		struct bytes b = bytes_of(section->at, section->n, false);
		uint32_t n = bytes_u32(&b), i;
		struct strbuf out = { 0 };
		struct packed_entry entry;
		struct old_parts old;

		bytes_u32(&b);
		packed_dsos_begin(n, &out);
		for (i = 0; i < n; i++) {
			const uint8_t *start = b.at;

			if (!packed_dsos_next(&b, &entry) ||
				!find_old_parts(entry.piece, entry.size, &old))
				break;
			/* Copy the entry, but with a unit of the present version. */
			size_t at = out.n, unit;
			uint32_t size;

			strbuf_put(&out, start,
				(size_t)((const uint8_t *)entry.piece - start));
			unit = out.n;
			put_converted_unit(&old, &out);
			size = (uint32_t)(out.n - unit);
			memcpy(out.at + at + ENTRY_SIZE_OFFSET, &size,
				sizeof(size));
			strbuf_align(&out, 8);
		}
		strbuf_free(section);
		*section = out;
	}
	return packed_dsos_read(section, is_line_unit);
}

struct packed_dsos *packed_lines_create(struct reader *reader)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };

	if (reader_section(
		    reader, SECTION_LINES, PACKED_LINES_VERSION, &section))
		return packed_lines_read(&section, PACKED_LINES_VERSION);
	if (reader_section(
		    reader, SECTION_LINES, PACKED_LINES_OLD_VERSION, &section))
		return packed_lines_read(&section, PACKED_LINES_OLD_VERSION);
	return NULL;
}
