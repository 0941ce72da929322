/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/go_module.h"

#include "common/elf/elf_private.h"
#include "common/elf/go_table_private.h"
#include "common/util/alloc.h"

/* Limit of a section with the moduledata in bytes. */
#define MODULE_SECTION_MAX MIB(128)

/*
 * Words of the moduledata (runtime/symtab.go). The first two are the addresses
 * of the table and of its names. .gofunc has another place in each of some
 * versions: since Go 1.26, it is the first one from GOFUNC_FIRST on that is in
 * the section of the table.
 */
#define MODULE_TEXT 22u
#define GOFUNC_1_18 38u
#define GOFUNC_1_20 40u
#define GOFUNC_FIRST 36u
#define GOFUNC_LAST 47u

/* The section of the moduledata, since Go 1.26, and those of older versions. */
#define NEW_SECTION ".go.module"
static const char *const old_sections[] = { ".noptrdata", ".data",
	".data.rel.ro" };

/* Returns word NUMBER of the moduledata at B, or 0. */
static uint64_t module_word(
	const struct go_table *table, struct bytes b, unsigned number)
{
	bytes_take(&b, number * table->pointer_size);
	return go_table_word(table, &b);
}

/* Sets B, at the beginning of a section, to the moduledata in it. */
static bool find_module_in(const struct go_table *table, struct bytes *b)
{
	uint64_t address = table->section.address;

	while (bytes_left(b) >= 2 * table->pointer_size) {
		if (module_word(table, *b, 0) == address &&
			module_word(table, *b, 1) == address + table->names)
			return true;
		bytes_take(b, table->pointer_size);
	}
	return false;
}

static uint64_t find_new_gofunc(const struct go_table *table, struct bytes b)
{
	unsigned i;

	for (i = GOFUNC_FIRST; i <= GOFUNC_LAST; i++) {
		uint64_t word = module_word(table, b, i);

		if (word - table->section.address < table->section.size)
			return word;
	}
	return 0;
}

static bool read_module(const struct go_table *table, struct elf_file *file,
	const char *name, struct go_module *ret)
{
	_cleanup_free_ uint8_t *copy = NULL;
	struct elf_section section;
	struct bytes b;

	if (!elf_linked_section(
		    file, name, MODULE_SECTION_MAX, &section, &copy))
		return false;
	b = bytes_of(section.at, section.size, table->is_swapped);
	if (!find_module_in(table, &b))
		return false;
	ret->text = module_word(table, b, MODULE_TEXT);
	if (string_is(name, NEW_SECTION))
		ret->calls = find_new_gofunc(table, b);
	else
		ret->calls = module_word(table, b,
			table->format < GO_1_20 ? GOFUNC_1_18 : GOFUNC_1_20);
	return true;
}

bool go_module_find(const struct go_table *table, struct elf_file *file,
	struct go_module *ret)
{
	size_t i;

	if (read_module(table, file, NEW_SECTION, ret))
		return true;
	for (i = 0; i < ARRAY_SIZE(old_sections); i++)
		if (read_module(table, file, old_sections[i], ret))
			return true;
	return false;
}
