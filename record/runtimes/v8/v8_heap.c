/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_heap.h"

/* Representation of a string: StringRepresentationTag of V8. */
enum v8_string_form {
	FORM_SEQUENTIAL = 0,
	FORM_CONS = 1,
	FORM_EXTERNAL = 2,
	FORM_SLICED = 3,
	FORM_THIN = 5,
};
#define FORM_MASK 7
#define FORM_ONE_BYTE 8
/* The object of an external string does not contain the address of the text. */
#define FORM_UNCACHED 16
/*
 * Offsets of the fields after the length in ConsString, SlicedString and ThinString. In
 * ExternalString, the second one is the address of the text.
 */
#define STRING_FIRST 16
#define STRING_SECOND 24
/* Number of batches of samples for which Maps are kept. */
#define MAPS_KEPT 32u
/* Limits of the depth of strings in a string, and of their number. */
#define STRING_DEPTH_MAX 8u
#define STRING_PIECES_MAX 64u
/* Offsets of the length and of the first byte in ByteArray. */
#define BYTES_LENGTH 8
#define BYTES_FIRST 16

void v8_heap_settle(struct v8_heap *heap)
{
	if (++heap->settled < MAPS_KEPT)
		return;
	heap->settled = 0;
	memset(heap->maps, 0, sizeof(heap->maps));
}

uint64_t v8_heap_field(struct v8_heap *heap, uint64_t address)
{
	uint64_t word;

	return process_memory_u64(heap->memory, address, &word)
		? v8_object(word)
		: 0;
}

int32_t v8_heap_map_type(struct v8_heap *heap, uint64_t map_word)
{
	struct v8_map *map =
		&heap->maps[(map_word >> 3 ^ map_word >> 10) & (V8_MAPS - 1)];
	uint64_t meta;
	uint16_t type;

	if (!v8_object(map_word))
		return -1;
	if (map->word == map_word)
		return map->type;
	/* The Map of a Map is the meta map, which is its own Map. */
	meta = v8_heap_field(heap, v8_object(map_word));
	if (!meta || v8_heap_field(heap, meta) != meta ||
		!process_memory_u16(heap->memory,
			v8_object(map_word) + (uint64_t)heap->layout->map_type,
			&type))
		return -1;
	*map = (struct v8_map){ map_word, type };
	return type;
}

int32_t v8_heap_type(struct v8_heap *heap, uint64_t address)
{
	uint64_t word;

	if (!address || !process_memory_u64(heap->memory, address, &word))
		return -1;
	return v8_heap_map_type(heap, word);
}

uint64_t v8_heap_moved(struct v8_heap *heap, uint64_t address)
{
	uint64_t word;

	if (address && process_memory_u64(heap->memory, address, &word) &&
		word && !(word & 7))
		return word;
	return address;
}

bool v8_heap_bytes(struct v8_heap *heap, uint64_t address, size_t max,
	uint64_t *start_ret, size_t *size_ret)
{
	const struct v8_layout *layout = heap->layout;
	int32_t type = v8_heap_type(heap, address);
	uint64_t length;

	if (type < 0 ||
		(type != layout->type_bytes &&
			type != layout->type_trusted_bytes) ||
		!process_memory_u64(
			heap->memory, address + BYTES_LENGTH, &length) ||
		!v8_is_smi(length) || v8_smi(length) < 0 ||
		(size_t)v8_smi(length) > max)
		return false;
	*start_ret = address + BYTES_FIRST;
	*size_ret = (size_t)v8_smi(length);
	return true;
}

/* --- characters ------------------------------------------------------------- */

static void put_code_point(struct strbuf *out, uint32_t c)
{
	/* A NUL would end the name. */
	strbuf_put_utf8(out, c ? c : 0xfffd);
}

void v8_put_latin1(struct strbuf *out, const uint8_t *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put_code_point(out, text[i]);
}

void v8_put_utf16(struct strbuf *out, const uint16_t *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t c = text[i];

		if ((c & 0xfc00) == 0xd800 && i + 1 < n &&
			(text[i + 1] & 0xfc00) == 0xdc00)
			c = 0x10000 + ((c & 0x3ff) << 10) +
				(text[++i] & 0x3ffu);
		else if ((c & 0xf800) == 0xd800)
			c = 0xfffd; /* half of a pair */
		put_code_point(out, c);
	}
}

/* --- strings ---------------------------------------------------------------- */

/* A string that is being appended to .out: .left is the limit of further characters. */
struct string_walk {
	struct v8_heap *heap;
	struct strbuf *out;
	uint32_t left;
	unsigned pieces;
};

/* Appends N characters at START, in Latin-1 or, if IS_TWO_BYTE, in UTF-16. */
static bool put_characters(
	struct string_walk *walk, uint64_t start, uint32_t n, bool is_two_byte)
{
	uint16_t text[V8_NAME_MAX];

	n = MIN(n, walk->left);
	if (!process_memory_read(walk->heap->memory, start, text,
		    is_two_byte ? 2 * (size_t)n : n))
		return false;
	if (is_two_byte)
		v8_put_utf16(walk->out, text, n);
	else
		v8_put_latin1(walk->out, (const uint8_t *)text, n);
	walk->left -= n;
	return true;
}

/* Appends N characters from SKIP on of the string at ADDRESS. */
static bool put_string(struct string_walk *walk, uint64_t address,
	uint32_t skip, uint32_t n, unsigned depth);

static bool put_cons_string(struct string_walk *walk, uint64_t address,
	uint32_t skip, uint32_t n, unsigned depth)
{
	struct v8_heap *heap = walk->heap;
	uint64_t first = v8_heap_field(heap, address + STRING_FIRST);
	uint32_t length, part = 0;

	if (!first ||
		!process_memory_u32(heap->memory,
			first + (uint64_t)heap->layout->string_length, &length))
		return false;
	if (skip < length) {
		part = MIN(n, length - skip);
		if (!put_string(walk, first, skip, part, depth + 1))
			return false;
	}
	if (part == n)
		return true;
	return put_string(walk, v8_heap_field(heap, address + STRING_SECOND),
		skip > length ? skip - length : 0, n - part, depth + 1);
}

static bool put_string(struct string_walk *walk, uint64_t address,
	uint32_t skip, uint32_t n, unsigned depth)
{
	struct v8_heap *heap = walk->heap;
	const struct v8_layout *layout = heap->layout;
	int32_t type = v8_heap_type(heap, address);
	uint32_t length;
	uint64_t chars;

	if (!walk->left)
		return true;
	if (!v8_is_string(type) || depth > STRING_DEPTH_MAX ||
		walk->pieces++ > STRING_PIECES_MAX ||
		!process_memory_u32(heap->memory,
			address + (uint64_t)layout->string_length, &length) ||
		skip > length || n > length - skip)
		return false;
	switch (type & FORM_MASK) {
	case FORM_SEQUENTIAL:
		chars = address + (uint64_t)layout->string_chars;
		return type & FORM_ONE_BYTE
			? put_characters(walk, chars + skip, n, false)
			: put_characters(
				  walk, chars + 2 * (uint64_t)skip, n, true);
	case FORM_CONS: return put_cons_string(walk, address, skip, n, depth);
	case FORM_SLICED: {
		uint64_t offset;

		if (!process_memory_u64(
			    heap->memory, address + STRING_SECOND, &offset) ||
			!v8_is_smi(offset) || v8_smi(offset) < 0)
			return false;
		return put_string(walk,
			v8_heap_field(heap, address + STRING_FIRST),
			skip + (uint32_t)v8_smi(offset), n, depth + 1);
	}
	case FORM_THIN:
		return put_string(walk,
			v8_heap_field(heap, address + STRING_FIRST), skip, n,
			depth + 1);
	default: return false; /* external: the text is outside of the heap */
	}
}

bool v8_heap_string(struct v8_heap *heap, uint64_t address, struct strbuf *out)
{
	struct string_walk walk = { heap, out, V8_NAME_MAX, 0 };
	uint32_t length;

	if (!address ||
		!process_memory_u32(heap->memory,
			address + (uint64_t)heap->layout->string_length,
			&length))
		return false;
	strbuf_grow(out, 1);
	out->at[out->n] = '\0';
	return put_string(&walk, address, 0, length, 0);
}

bool v8_heap_flat_string(
	struct v8_heap *heap, uint64_t address, struct v8_flat_string *ret)
{
	const struct v8_layout *layout = heap->layout;
	int32_t type = v8_heap_type(heap, address);

	if (v8_is_string(type) &&
		((type & FORM_MASK) == FORM_THIN ||
			(type & FORM_MASK) == FORM_CONS)) {
		/* The first part of a flattened ConsString is the whole string. */
		uint64_t whole = address;
		uint32_t length, length_first;

		address = v8_heap_field(heap, address + STRING_FIRST);
		type = v8_heap_type(heap, address);
		if (type < 0 ||
			!process_memory_u32(heap->memory,
				whole + (uint64_t)layout->string_length,
				&length) ||
			!process_memory_u32(heap->memory,
				address + (uint64_t)layout->string_length,
				&length_first) ||
			length != length_first)
			return false;
	}
	if (!v8_is_string(type) ||
		!process_memory_u32(heap->memory,
			address + (uint64_t)layout->string_length, &ret->n))
		return false;
	ret->start = address + (uint64_t)layout->string_chars;
	if ((type & FORM_MASK) == FORM_EXTERNAL) {
		if (type & FORM_UNCACHED ||
			!process_memory_u64(heap->memory,
				address + STRING_SECOND, &ret->start))
			return false;
	} else if ((type & FORM_MASK) != FORM_SEQUENTIAL) {
		return false;
	}
	ret->is_two_byte = !(type & FORM_ONE_BYTE);
	return true;
}
