/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/packed_code.h"

_Static_assert(sizeof(struct code_range) == 24, "written to the file as it is");
_Static_assert(sizeof(struct code_unit) == 8, "written to the file as it is");

static const struct code_range *unit_code_ranges(const struct code_unit *unit)
{
	return (const struct code_range *)(unit + 1);
}

static const uint8_t *unit_code_bytes(const struct code_unit *unit)
{
	return (const uint8_t *)(unit_code_ranges(unit) + unit->n);
}

bool code_unit_is_valid(const struct code_unit *unit, size_t size)
{
	const struct code_range *range;
	uint64_t before = 0, n_bytes, end;

	if (size < sizeof(*unit) ||
		unit->n > (size - sizeof(*unit)) / sizeof(*range))
		return false;
	n_bytes = size - sizeof(*unit) - unit->n * sizeof(*range);
	for (range = unit_code_ranges(unit);
		range < unit_code_ranges(unit) + unit->n; range++) {
		if (range->start < before || !range->size ||
			range->at > n_bytes ||
			range->size > n_bytes - range->at ||
			__builtin_add_overflow(
				range->start, (uint64_t)range->size, &end))
			return false;
		before = end;
	}
	return true;
}

struct code_found code_unit_find(const struct code_unit *unit, uint64_t place)
{
	const struct {
		const struct code_range *at;
		size_t n;
	} ranges = { unit_code_ranges(unit), unit->n };
	const struct code_range *range;
	size_t i = array_count_before(&ranges, x, x->start <= place);
	uint64_t offset;

	if (!i)
		return (struct code_found){ 0 };
	range = &ranges.at[i - 1];
	offset = place - range->start;
	if (offset >= range->size)
		return (struct code_found){ 0 };
	return (struct code_found){ unit_code_bytes(unit) + range->at + offset,
		range->size - offset, range->address + offset };
}

static bool is_code_unit(const void *piece, size_t size)
{
	return code_unit_is_valid(piece, size);
}

struct packed_dsos *packed_code_read(struct strbuf *section)
{
	return packed_dsos_read(section, is_code_unit);
}

struct packed_dsos *packed_code_create(struct reader *reader)
{
	return packed_dsos_create(
		reader, SECTION_CODE, PACKED_CODE_VERSION, is_code_unit);
}

void code_builder_add(struct code_builder *builder, uint64_t place,
	uint64_t address, const void *bytes, size_t size)
{
	*array_push(&builder->ranges) = (struct code_range){ place, address,
		(uint32_t)size, (uint32_t)builder->bytes.n };
	strbuf_put(&builder->bytes, bytes, size);
}

void code_builder_finish(struct code_builder *builder, struct strbuf *out)
{
	const struct code_unit unit = { builder->kind,
		(uint32_t)builder->ranges.n };

	strbuf_put(out, &unit, sizeof(unit));
	strbuf_put(out, builder->ranges.at,
		builder->ranges.n * sizeof(*builder->ranges.at));
	strbuf_put(out, builder->bytes.at, builder->bytes.n);
	array_free(&builder->ranges);
	strbuf_free(&builder->bytes);
}
