/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/ruby/ruby_iseq.h"

/* Limits of the instructions and the lines of a sequence. */
#define INSTRUCTIONS_MAX (1u << 20)
#define LINES_MAX (1u << 20)

/* struct RBasic: the flags (include/ruby/internal/value_type.h, fl_type.h). */
#define TYPE_MASK 31u
#define TYPE_STRING 5u
#define TYPE_ARRAY 7u
#define FLAG_1 (1u << 13) /* strings: not embedded; arrays: embedded */
/* The length of an embedded string is in these bits. */
#define EMBEDDED_SHIFT 14u
#define EMBEDDED_MASK 31u
#define OBJECT_WORDS 16u /* embedded bytes or elements; length of others */
#define STRING_POINTER 24u
#define STRING_BYTES_SINCE_32 24u /* embedded */
#define ARRAY_POINTER 32u

#define LINE_SIZE 12u /* struct iseq_insn_info_entry: line, node, events */

/*
 * struct succ_index_table (iseq.c): the number of entries at or before a
 * position. The first positions have 7 bits each, 9 of them in a word; the
 * others are in blocks of bits.
 */
#define IMMEDIATE_POSITIONS 54u
#define IMMEDIATE_PER_WORD 9u
#define IMMEDIATE_BITS 7u
#define IMMEDIATE_WORDS (IMMEDIATE_POSITIONS / IMMEDIATE_PER_WORD)
#define BLOCK_POSITIONS 512u
struct index_block {
	uint32_t rank, unused;
	uint64_t small_ranks; /* of 64 positions each, 9 bits */
	uint64_t bits[BLOCK_POSITIONS / 64];
};

/* Appends the string at ADDRESS. */
static bool read_string(const struct ruby_layout *layout,
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint64_t flags, n, at;

	if (!address || address & 7 ||
		!process_memory_u64(memory, address, &flags) ||
		(flags & TYPE_MASK) != TYPE_STRING)
		return false;
	n = flags >> EMBEDDED_SHIFT & EMBEDDED_MASK;
	at = address +
		(layout->is_since_32 ? STRING_BYTES_SINCE_32 : OBJECT_WORDS);
	if ((layout->is_since_32 || flags & FLAG_1) &&
		!process_memory_u64(memory, address + OBJECT_WORDS, &n))
		return false;
	if (flags & FLAG_1 &&
		!process_memory_u64(memory, address + STRING_POINTER, &at))
		return false;
	return code_objects_read_text(memory, at, n, out);
}

/* Appends the path: a string, or an array of the path and the real path. */
static bool read_path(const struct ruby_layout *layout,
	struct process_memory *memory, uint64_t address, struct strbuf *out)
{
	uint64_t flags, at = address + OBJECT_WORDS, path, real_path;

	if (!address || address & 7 ||
		!process_memory_u64(memory, address, &flags))
		return false;
	if ((flags & TYPE_MASK) != TYPE_ARRAY)
		return read_string(layout, memory, address, out);
	if (!(flags & FLAG_1) &&
		!process_memory_u64(memory, address + ARRAY_POINTER, &at))
		return false;
	if (!process_memory_u64(memory, at, &path) ||
		!process_memory_u64(memory, at + 8, &real_path))
		return false;
	/* The real path of code of eval() is nil. */
	return read_string(layout, memory, real_path, out) ||
		read_string(layout, memory, path, out);
}

static bool read_body(void *data, struct process_memory *memory,
	struct code_object *ret, struct strbuf *name, struct strbuf *file)
{
	const struct ruby_layout *layout = data;
	uint64_t path, label, line;

	if (!process_memory_u64(memory, ret->address + RUBY_BODY_PATH, &path) ||
		!process_memory_u64(
			memory, ret->address + RUBY_BODY_LABEL, &label) ||
		!process_memory_u64(
			memory, ret->address + RUBY_BODY_FIRST_LINE, &line) ||
		!read_string(layout, memory, label, name) ||
		!read_path(layout, memory, path, file))
		return false;
	/* The first line of a file is 0. Objects of integers have the lowest bit set. */
	if (layout->is_since_32)
		ret->first_line = MAX((uint32_t)line, 1u);
	else
		ret->first_line = line & 1 ? MAX((uint32_t)(line >> 1), 1u) : 0;
	return true;
}

/* Sets *RET to the number of entries at or before POSITION by the table at
 * INDEX. */
static bool find_rank(struct process_memory *memory, uint64_t index,
	uint64_t position, uint64_t *ret)
{
	uint64_t word, inner, small;
	struct index_block block;

	if (position < IMMEDIATE_POSITIONS) {
		if (!process_memory_u64(memory,
			    index + 8 * (position / IMMEDIATE_PER_WORD), &word))
			return false;
		*ret = word >> position % IMMEDIATE_PER_WORD * IMMEDIATE_BITS &
			((1u << IMMEDIATE_BITS) - 1);
		return true;
	}
	position -= IMMEDIATE_POSITIONS;
	if (!process_memory_read(memory,
		    index + 8 * IMMEDIATE_WORDS +
			    position / BLOCK_POSITIONS * sizeof(block),
		    &block, sizeof(block)))
		return false;
	inner = position % BLOCK_POSITIONS;
	small = inner / 64;
	*ret = block.rank +
		(small ? block.small_ranks >> (small - 1) * 9 & 0x1ff : 0) +
		(uint64_t)__builtin_popcountll(
			block.bits[small] << (63 - inner % 64));
	return true;
}

/* WHERE is the address of the next instruction. */
static uint32_t line_of(void *data, struct process_memory *memory,
	const struct code_object *object, uint64_t where)
{
	const struct ruby_layout *layout = data;
	uint64_t code, position, lines, index, rank = 1;
	uint32_t n, line;

	if (!process_memory_u64(
		    memory, object->address + RUBY_BODY_CODE, &code) ||
		!process_memory_u64(
			memory, object->address + layout->lines, &lines) ||
		!process_memory_u32(
			memory, object->address + layout->n_lines, &n) ||
		!process_memory_u64(
			memory, object->address + layout->index, &index))
		return 0;
	position = (where - code) / 8;
	position -= position > 0;
	if (!n || n > LINES_MAX || position > INSTRUCTIONS_MAX ||
		(n > 1 && !find_rank(memory, index, position, &rank)) ||
		!rank || rank > n ||
		!process_memory_u32(
			memory, lines + LINE_SIZE * (rank - 1), &line))
		return 0;
	return line;
}

struct code_language ruby_iseq_language(const struct ruby_layout *layout)
{
	return (struct code_language){ RUNTIME_RUBY, read_body, line_of,
		(void *)layout };
}
