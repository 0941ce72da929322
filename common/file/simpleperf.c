/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/simpleperf.h"

#include <elf.h>

#include "common/util/alloc.h"

/* Limit of a path or symbol name, in bytes; longer texts are cut. */
#define TEXT_MAX 65536u

enum file_type {
	TYPE_KERNEL = 0,
	TYPE_MODULE = 1,
	TYPE_ELF = 2,
	TYPE_DEX = 3,
};

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5,
};

/* A protobuf field. Its content is .value, a number, or .bytes. */
struct wire_field {
	uint64_t number, value;
	struct bytes bytes;
};

static uint64_t read_protobuf_varint(struct bytes *b)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		uint8_t byte = bytes_u8(b);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	b->ok = false;
	return 0;
}

/*
 * Reads the next protobuf field of B. Returns false at the end of B, or if B is
 * damaged.
 */
static bool next_protobuf_field(struct bytes *b, struct wire_field *ret)
{
	uint64_t key, size;

	if (!b->ok || !bytes_left(b))
		return false;
	key = read_protobuf_varint(b);
	*ret = (struct wire_field){ .number = key >> 3 };
	switch (key & 7) {
	case WIRE_VARINT: ret->value = read_protobuf_varint(b); break;
	case WIRE_64: bytes_take(b, 8); break;
	case WIRE_BYTES:
		size = read_protobuf_varint(b);
		if (size > bytes_left(b))
			b->ok = false;
		else
			ret->bytes = bytes_of(bytes_take(b, size), size, false);
		break;
	case WIRE_32: bytes_take(b, 4); break;
	default: b->ok = false;
	}
	return b->ok;
}

static char *read_protobuf_text(const struct bytes *b)
{
	size_t n = MIN(bytes_left(b), (size_t)TEXT_MAX);

	return n ? xstrndup((const char *)b->at, n) : xstrdup("");
}

/*
 * Data of one file that are needed to convert the addresses of its symbols to
 * file offsets.
 */
struct simpleperf_facts {
	/* .lowest: lowest code address; .offset: file offset of .lowest */
	uint64_t type, lowest, offset;
	bool has_offset;
};
static void add_simpleperf_symbol(const struct simpleperf_facts *facts,
	struct bytes b, struct symtab *table)
{
	_cleanup_free_ char *name = NULL;
	uint64_t start = 0, size = 0;
	struct wire_field field;

	while (next_protobuf_field(&b, &field)) {
		if (field.number == 1)
			start = field.value;
		else if (field.number == 2)
			size = field.value & UINT32_MAX;
		else if (field.number == 3 && !name)
			name = read_protobuf_text(&field.bytes);
	}
	if (facts->type == TYPE_ELF && facts->has_offset)
		start += facts->offset - facts->lowest;
	if (name && *name && start + size >= start)
		symtab_add(table, start, start + size, STB_GLOBAL, name);
}

/*
 * Reads the type and addresses of a file first and its symbols afterwards,
 * because protobuf fields may be in any order.
 */
static void read_simpleperf_file(struct bytes b, struct symbols_section *ret)
{
	struct symbols_dso file = { .is_by_path = true };
	struct simpleperf_facts facts = { 0 };
	struct wire_field field, of_elf;
	struct bytes again = b;

	while (next_protobuf_field(&b, &field)) {
		if (field.number == 1 && !file.path)
			file.path = read_protobuf_text(&field.bytes);
		else if (field.number == 2)
			facts.type = field.value;
		else if (field.number == 3)
			facts.lowest = field.value;
		while (field.number == 6 &&
			next_protobuf_field(&field.bytes, &of_elf))
			if (of_elf.number == 1) {
				facts.offset = of_elf.value;
				facts.has_offset = true;
			}
	}
	while (next_protobuf_field(&again, &field))
		if (field.number == 4)
			add_simpleperf_symbol(
				&facts, field.bytes, &file.symbols);
	symtab_finish(&file.symbols);
	if (file.path && file.symbols.symbols.n &&
		(facts.type == TYPE_KERNEL || facts.type == TYPE_ELF ||
			facts.type == TYPE_DEX)) {
		*array_push(&ret->dsos) = file;
		return;
	}
	free(file.path);
	symtab_deinit(&file.symbols);
}

void simpleperf_read_files(struct bytes b, struct symbols_section *ret)
{
	while (b.ok && bytes_left(&b)) {
		uint32_t size = bytes_u32(&b);
		const void *message = bytes_take(&b, size);

		if (b.ok)
			read_simpleperf_file(
				bytes_of(message, size, false), ret);
	}
}
