/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/go_lines.h"

#include "common/elf/go_table_private.h"

/* Numbers of the tables of a function (internal/abi/symtab.go). */
#define PCDATA_INLINED 2u
#define FUNCDATA_INLINED 3u
/* Bytes of the calls of inlined functions: the size of one, and its fields. */
#define CALL_SIZE_MAX 20u
/* The value before the first one. */
#define FIRST_VALUE (-1)
/* Bits of a variable-length number. */
#define NUMBER_BITS 32u

static uint32_t take_element(struct bytes b, uint32_t n, uint32_t i)
{
	bytes_take(&b, (size_t)i * 4);
	return i < n ? bytes_u32(&b) : 0;
}

bool go_lines_read(const struct go_table *table, size_t i, struct go_lines *ret)
{
	struct bytes b = go_table_function_data(table, i);
	uint32_t n_values, n_data;

	bytes_take(
		&b, 4 * sizeof(uint32_t)); /* name, arguments, defer, stack */
	ret->files = bytes_u32(&b);
	ret->lines = bytes_u32(&b);
	n_values = bytes_u32(&b);
	ret->unit = table->format >= GO_1_16 ? bytes_u32(&b) : 0;
	if (table->format >= GO_1_20)
		bytes_u32(&b); /* line of the declaration */
	bytes_take(&b, 3);
	n_data = bytes_u8(&b);
	ret->calls = 0;
	ret->tree = UINT32_MAX;
	if (table->format < GO_1_18)
		return b.ok;
	ret->calls = take_element(b, n_values, PCDATA_INLINED);
	bytes_take(&b, (size_t)n_values * 4);
	if (n_data > FUNCDATA_INLINED)
		ret->tree = take_element(b, n_data, FUNCDATA_INLINED);
	return b.ok;
}

/* --- values --------------------------------------------------------------- */

/*
 * Reads a number of seven bits per byte, the lowest first. A longer number is
 * damage: it could be as long as the table, and be read for each function.
 */
static uint32_t take_number(struct bytes *b)
{
	uint32_t number = 0;
	unsigned shift;
	uint8_t byte;

	for (shift = 0; shift < NUMBER_BITS; shift += 7) {
		byte = bytes_u8(b);
		number |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
	b->ok = false;
	return 0;
}

struct go_values go_values_begin(
	const struct go_table *table, uint32_t place, uint64_t start)
{
	struct go_values values = {
		.b = go_table_bytes(table, table->values),
		.quantum = table->quantum,
		.start = start,
		.end = start,
		.value = FIRST_VALUE,
	};

	bytes_take(&values.b, place);
	if (!place)
		values.b.ok = false;
	return values;
}

bool go_values_next(struct go_values *values)
{
	uint32_t delta = take_number(&values->b);
	uint64_t size = (uint64_t)take_number(&values->b) * values->quantum;

	/* A difference of 0 is the end; the first value may be FIRST_VALUE. */
	if (!values->b.ok || (!delta && values->has_value) || !size)
		return false;
	values->has_value = true;
	/* The lowest bit of a difference is its sign. */
	values->value = (int32_t)((uint32_t)values->value +
		((delta >> 1) ^ -(delta & 1)));
	values->start = values->end;
	return !__builtin_add_overflow(values->start, size, &values->end);
}

/* --- files ---------------------------------------------------------------- */

const char *go_lines_file(const struct go_table *table,
	const struct go_lines *lines, int32_t number, uint64_t *left)
{
	bool is_old = table->format == GO_1_2;
	struct bytes b =
		go_table_bytes(table, is_old ? table->files : table->units);
	uint32_t offset;

	if (number < 0)
		return NULL;
	bytes_take(&b, ((uint64_t)lines->unit + (uint32_t)number) * 4);
	offset = bytes_u32(&b);
	if (!b.ok)
		return NULL;
	return go_table_text(table, is_old ? 0 : table->files, offset, left);
}

/* --- inlined functions ---------------------------------------------------- */

bool go_lines_call(const struct go_table *table, struct elf_file *file,
	const struct go_module *module, const struct go_lines *lines,
	int32_t number, uint64_t *left, struct go_call *ret)
{
	bool is_old = table->format < GO_1_20;
	size_t size = is_old ? 20 : 16;
	uint8_t raw[CALL_SIZE_MAX];
	struct bytes b = bytes_of(raw, size, table->is_swapped);
	uint64_t address =
		module->calls + lines->tree + (uint64_t)(uint32_t)number * size;

	if (!module->calls || lines->tree == UINT32_MAX || number < 0 ||
		elf_file_read(file, address, raw, size) != size)
		return false;
	bytes_take(&b, is_old ? 12 : 4);
	ret->name = go_table_text(table, table->names, bytes_u32(&b), left);
	ret->place = bytes_u32(&b);
	ret->line = is_old ? 0 : bytes_u32(&b);
	return ret->name;
}
