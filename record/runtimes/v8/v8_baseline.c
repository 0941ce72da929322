/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_baseline.h"

#include "common/util/bytes.h"

/*
 * The first bytecodes are prefixes for larger operands: Wide, ExtraWide, and both again
 * for the debugger.
 */
#define PREFIXES 4u

/* Reads a number of at most 5 bytes. */
static uint64_t take_unsigned(struct bytes *table)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = bytes_leb(table, &bits, &last);

	table->ok &= bits <= 35;
	return value;
}

/* Skips one bytecode and its prefix. Returns false if the bytecode is not valid. */
static bool skip_bytecode(
	const struct v8_bytecode_sizes *sizes, struct bytes *bytecode)
{
	uint8_t code = bytes_u8(bytecode);
	unsigned scale = 0;

	if (code < PREFIXES) {
		scale = 1 + (code & 1);
		code = bytes_u8(bytecode);
	}
	if (code >= sizes->n || !sizes->size[scale][code])
		return false;
	bytes_take(bytecode, sizes->size[scale][code] - 1u);
	return bytecode->ok;
}

uint32_t v8_baseline_find(const struct v8_bytecode_sizes *sizes,
	struct bytes *table, struct bytes *bytecode, uint64_t offset)
{
	const uint8_t *start = bytecode->at;
	uint64_t end = take_unsigned(table); /* of the prologue */
	uint32_t found = UINT32_MAX;

	while (table->ok && end <= offset) {
		found = (uint32_t)(bytecode->at - start);
		if (!bytes_left(table) || !skip_bytecode(sizes, bytecode))
			return UINT32_MAX;
		end += take_unsigned(table);
	}
	return table->ok ? found : UINT32_MAX;
}
