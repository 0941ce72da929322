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

/* Returns the bytes of names that may be read. */
static uint64_t limit_names(const struct go_table *go)
{
	return MIN(
		go_table_bytes_max(go) * NAMES_SHARE_MAX, (uint64_t)NAMES_MAX);
}

/* --- code ----------------------------------------------------------------- */

struct go_code {
	/* Linked addresses, and the file offset of .start; by .start. */
	ARRAY(struct code_segment { uint64_t start, end, offset; }) segments;
	size_t at; /* the segments before this one end before the address */
};

static int compare_code_segments(const void *a, const void *b)
{
	const struct code_segment *left = a, *right = b;

	return COMPARE(left->start, right->start);
}

/*
 * Returns the segment with ADDRESS, or NULL. ADDRESS is not lower than in the
 * call before.
 */
static const struct code_segment *next_code_segment(
	struct go_code *code, uint64_t address)
{
	const struct code_segment *segment;

	while (code->at < code->segments.n &&
		code->segments.at[code->at].end <= address)
		code->at++;
	if (code->at == code->segments.n)
		return NULL;
	segment = &code->segments.at[code->at];
	return segment->start <= address ? segment : NULL;
}

/* --- functions ------------------------------------------------------------ */

bool go_symbols_add(struct elf_file *file, struct symtab *table)
{
	struct go_table *go = go_table_open(file);
	bool is_complete;

	if (!go)
		return false;
	uint64_t names_left = limit_names(go), offset;
	const struct code_segment *segment;
	struct go_code code = { 0 };
	struct go_function function;
	const char *name;
	GElf_Phdr header;
	uint64_t end;
	size_t i = 0;

	while (elf_next_code(file, &i, &header))
		if (!__builtin_add_overflow(
			    header.p_vaddr, elf_load_size(file, &header), &end))
			*array_push(&code.segments) =
				(struct code_segment){ header.p_vaddr, end,
					elf_load_offset(file, &header) };
	array_sort(&code.segments, compare_code_segments);
	size_t n =
		symtab_begin(table, go_table_size(go)) ? go_table_size(go) : 0;
	for (i = 0; i < n && names_left && !symtab_is_full(table); i++) {
		if (!go_table_function(go, i, &function))
			continue;
		segment = next_code_segment(&code, function.start);
		if (!segment)
			continue;
		offset = function.start - segment->start + segment->offset;
		end = offset + (function.end - function.start);
		name = symtab_wants(table, offset, end)
			? go_table_name(go, i, &names_left)
			: NULL;
		if (name)
			symtab_add(table, offset, end, STB_LOCAL, name);
	}
	array_free(&code.segments);
	struct go_function first;

	/* Linkers put C code before Go's: the start code of the program. */
	is_complete = go_table_function(go, 0, &first) &&
		first.start == elf_file_section_address(file, ".text");
	go_table_close(go);
	return is_complete;
}

bool go_symbols_find(struct elf_file *file, const char *name, GElf_Sym *ret)
{
	struct go_table *go = go_table_open(file);
	uint64_t names_left = go ? limit_names(go) : 0;
	struct go_function function;
	bool is_found = false;
	const char *other;
	size_t i;

	for (i = 0; go && i < go_table_size(go) && names_left && !is_found;
		i++) {
		other = go_table_name(go, i, &names_left);
		if (!other || !string_is(other, name) ||
			!go_table_function(go, i, &function))
			continue;
		ret->st_value = function.start;
		ret->st_size = function.end - function.start;
		is_found = true;
	}
	go_table_close(go);
	return is_found;
}
