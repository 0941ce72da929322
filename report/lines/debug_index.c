/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/lines/debug_index.h"

#include <elf.h>

#include "common/util/bytes.h"
#include "report/lines/debug_check.h"

#define COLUMNS_MAX 32u
#define UNITS_MAX (UINT32_C(1) << 22)
#define VERSION_GNU 2u
#define VERSION_DWARF 5u

const char *const debug_index_sections[DEBUG_INDEX_SECTIONS] = {
	".debug_info.dwo",
	".debug_abbrev.dwo",
	".debug_line.dwo",
	".debug_str_offsets.dwo",
	".debug_rnglists.dwo",
};

/* The section numbers of both versions; 0: none. */
static const uint32_t gnu_numbers[DEBUG_INDEX_SECTIONS] = { 1, 3, 4, 6, 0 };
static const uint32_t dwarf_numbers[DEBUG_INDEX_SECTIONS] = { 1, 3, 4, 6, 8 };

static uint32_t index_u32_at(const uint8_t *table, uint64_t i)
{
	struct bytes b = bytes_of(table + i * 4, 4, false);

	return bytes_u32(&b);
}

static uint64_t index_u64_at(const uint8_t *table, uint64_t i)
{
	struct bytes b = bytes_of(table + i * 8, 8, false);

	return bytes_u64(&b);
}

static bool has_native_order(struct elf_file *file)
{
	return elf_file_kind(file).order ==
		(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
							   : ELFDATA2MSB);
}

bool debug_index_read(struct elf_file *file, struct debug_index *ret)
{
	struct elf_section section;
	struct bytes b;
	uint64_t n;

	if (!has_native_order(file) ||
		!elf_file_section(
			file, ".debug_cu_index", DEBUG_SIZE_MAX, &section))
		return false;
	b = bytes_of(section.at, section.size, false);
	/* In DWARF 5 the version has 16 bits, followed by 16 zero bits. */
	ret->version = bytes_u32(&b) & UINT16_MAX;
	ret->n_columns = bytes_u32(&b);
	ret->n_units = bytes_u32(&b);
	ret->n_slots = bytes_u32(&b);
	if (ret->n_columns > COLUMNS_MAX || ret->n_units > UNITS_MAX ||
		!ret->n_slots || ret->n_slots & (ret->n_slots - 1))
		return false;
	n = (uint64_t)ret->n_units * ret->n_columns;
	ret->ids = bytes_take(&b, (uint64_t)ret->n_slots * 8);
	ret->rows = bytes_take(&b, (uint64_t)ret->n_slots * 4);
	ret->columns = bytes_take(&b, (uint64_t)ret->n_columns * 4);
	ret->offsets = bytes_take(&b, n * 4);
	ret->sizes = bytes_take(&b, n * 4);
	return b.ok &&
		(ret->version == VERSION_GNU || ret->version == VERSION_DWARF);
}

bool debug_index_find(
	const struct debug_index *index, uint64_t id, uint32_t *ret)
{
	uint32_t mask = index->n_slots - 1, tries;
	uint32_t slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;

	for (tries = 0; tries < index->n_slots; tries++) {
		uint32_t row = index_u32_at(index->rows, slot);

		if (!row || row > index->n_units)
			return false;
		*ret = row - 1;
		if (index_u64_at(index->ids, slot) == id)
			return true;
		slot = (slot + step) & mask;
	}
	return false;
}

/* Returns the column of SECTION, or .n_columns. */
static uint32_t find_section_column(
	const struct debug_index *index, unsigned section)
{
	uint32_t number = index->version == VERSION_GNU
		? gnu_numbers[section]
		: dwarf_numbers[section];
	uint32_t i = number ? 0 : index->n_columns;

	while (i < index->n_columns &&
		index_u32_at(index->columns, i) != number)
		i++;
	return i;
}

bool debug_index_part(const struct debug_index *index, struct elf_file *file,
	uint32_t unit, unsigned section, struct elf_section *ret)
{
	uint32_t column = find_section_column(index, section), offset, size;
	uint64_t at = (uint64_t)unit * index->n_columns + column;

	*ret = (struct elf_section){ 0 };
	if (column == index->n_columns)
		return true;
	offset = index_u32_at(index->offsets, at);
	size = index_u32_at(index->sizes, at);
	if (!size)
		return true;
	if (!elf_file_section(
		    file, debug_index_sections[section], DEBUG_SIZE_MAX, ret) ||
		(uint64_t)offset + size > ret->size)
		return false;
	ret->at += offset;
	ret->size = size;
	return true;
}
