/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/go_symbols.h"

#include "common/elf/elf_private.h"
#include "common/elf/go_table.h"

/*
 * Instances of a generic function share a name. All names may be this number of
 * times as long as the table, and have NAMES_MAX bytes: more is damage.
 */
#define NAMES_SHARE_MAX 4u
#define NAMES_MAX MIB(128)

/* An executable segment: linked addresses, and the file offset of .start. */
struct code_segment {
	uint64_t start, end, offset;
};

/* Sets SEGMENT to the segment with ADDRESS, if it is another one. */
static bool find_code_segment(
	struct elf_file *file, uint64_t address, struct code_segment *segment)
{
	GElf_Phdr header;
	size_t i = 0;

	if (address >= segment->start && address < segment->end)
		return true;
	while (elf_next_code(file, &i, &header)) {
		if (address - header.p_vaddr >= elf_load_size(file, &header))
			continue;
		*segment = (struct code_segment){ header.p_vaddr,
			header.p_vaddr + elf_load_size(file, &header),
			elf_load_offset(file, &header) };
		return true;
	}
	return false;
}

static void add_go_functions(
	struct elf_file *file, const struct go_table *go, struct symtab *table)
{
	uint64_t names_left = MIN(
		go_table_bytes_max(go) * NAMES_SHARE_MAX, (uint64_t)NAMES_MAX);
	uint64_t offset;
	struct code_segment segment = { 0 };
	struct go_function function;
	size_t i;

	for (i = 0; i < go_table_size(go); i++) {
		if (!go_table_function(go, i, &function) ||
			!find_code_segment(file, function.start, &segment))
			continue;
		if (strlen(function.name) > names_left)
			return;
		names_left -= strlen(function.name);
		offset = function.start - segment.start + segment.offset;
		symtab_add(table, offset,
			offset + (function.end - function.start), STB_LOCAL,
			function.name);
	}
}

/* Returns true if the functions of GO are all code of FILE. */
static bool is_all_go(struct elf_file *file, const struct go_table *go)
{
	struct go_function first;

	/* Linkers put C code before Go's: the start code of the program. */
	return go_table_function(go, 0, &first) &&
		first.start == elf_file_section_address(file, ".text");
}

bool go_symbols_add(struct elf_file *file, struct symtab *table)
{
	struct go_table *go = go_table_open(file);
	bool is_complete;

	if (!go)
		return false;
	add_go_functions(file, go, table);
	is_complete = is_all_go(file, go);
	go_table_close(go);
	return is_complete;
}

bool go_symbols_find(struct elf_file *file, const char *name, GElf_Sym *ret)
{
	struct go_table *go = go_table_open(file);
	size_t i, n = go ? go_table_size(go) : 0;
	struct go_function function;
	bool is_found = false;

	for (i = 0; i < n && !is_found; i++) {
		if (!go_table_function(go, i, &function) ||
			!string_is(function.name, name))
			continue;
		ret->st_value = function.start;
		ret->st_size = function.end - function.start;
		is_found = true;
	}
	go_table_close(go);
	return is_found;
}
