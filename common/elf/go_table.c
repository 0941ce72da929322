/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/go_table.h"

#include "common/elf/elf_private.h"
#include "common/elf/go_table_private.h"
#include "common/util/alloc.h"

/* Limit of the section in bytes; the largest programs have 100 MiB. */
#define TABLE_MAX MIB(256)
/* Size in bytes of the part of the header that all formats have in common. */
#define HEADER_SIZE 8u
/* Limit of a name in bytes. */
#define NAME_MAX_BYTES KIB(64)
/* Names are shared by the instances of a generic function. */
#define NAMES_SHARE_MAX 4u

static const uint32_t format_magics[GO_FORMATS] = {
	[GO_1_2] = 0xfffffffb,
	[GO_1_16] = 0xfffffffa,
	[GO_1_18] = 0xfffffff0,
	[GO_1_20] = 0xfffffff1,
};

/* The moduledata of Go 1.26 and later, and the number of its word .text. */
#define MODULE_SECTION ".go.module"
#define MODULE_MAX KIB(64)
#define MODULE_TEXT 22u

/* Reads an address or an offset, of a function or of its data. */
static uint64_t take_function_word(
	const struct go_table *table, struct bytes *b)
{
	return table->format >= GO_1_18 ? bytes_u32(b)
					: go_table_word(table, b);
}

static unsigned function_word_size(const struct go_table *table)
{
	return table->format >= GO_1_18 ? 4 : table->pointer_size;
}

/* --- the header ----------------------------------------------------------- */

/* Reads the HEADER_SIZE bytes that all formats have in common. */
static bool read_table_magic(struct go_table *table)
{
	struct bytes b = go_table_bytes(table, 0);
	uint32_t magic = bytes_u32(&b);
	unsigned quantum;
	bool is_zero;

	is_zero = bytes_u16(&b) == 0;
	quantum = bytes_u8(&b);
	table->pointer_size = bytes_u8(&b);
	for (table->format = 0; table->format < GO_FORMATS; table->format++)
		if (magic == format_magics[table->format])
			break;
	return b.ok && is_zero && table->format < GO_FORMATS &&
		(quantum == 1 || quantum == 2 || quantum == 4) &&
		(table->pointer_size == 4 || table->pointer_size == 8);
}

/* Reads the header behind these bytes. */
static bool read_table_header(struct go_table *table)
{
	struct bytes b = go_table_bytes(table, HEADER_SIZE);

	table->n = (size_t)go_table_word(table, &b);
	if (table->format == GO_1_2) {
		table->functions = HEADER_SIZE + table->pointer_size;
		return b.ok;
	}
	go_table_word(table, &b); /* number of files */
	if (table->format >= GO_1_18)
		table->text = go_table_word(table, &b);
	table->names = go_table_word(table, &b);
	go_table_word(table, &b); /* files of each unit */
	go_table_word(table, &b); /* names of files */
	go_table_word(table, &b); /* lines */
	table->functions = go_table_word(table, &b);
	return b.ok;
}

/* Returns word NUMBER of the moduledata, or 0 if there is no such section. */
static uint64_t module_word(
	const struct go_table *table, struct elf_file *file, unsigned number)
{
	_cleanup_free_ uint8_t *copy = NULL;
	struct elf_section module;
	struct bytes b;

	if (!elf_linked_section(
		    file, MODULE_SECTION, MODULE_MAX, &module, &copy))
		return 0;
	b = bytes_of(module.at, module.size, table->is_swapped);
	bytes_take(&b, number * table->pointer_size);
	return go_table_word(table, &b);
}

/* The address of the code is not in the header since Go 1.26. */
static void find_table_text(struct go_table *table, struct elf_file *file)
{
	if (table->format < GO_1_18)
		return;
	if (!table->text)
		table->text = module_word(table, file, MODULE_TEXT);
	if (!table->text)
		table->text = elf_file_section_address(file, ".text");
}

/* --- functions ------------------------------------------------------------ */

/*
 * Reads the address of function I, and the offset of its data. Function number
 * .n is the end of the last function, without data.
 */
static bool read_function_entry(const struct go_table *table, size_t i,
	uint64_t *address_ret, uint64_t *data_ret)
{
	struct bytes b = go_table_bytes(table, table->functions);

	bytes_take(&b, i * 2 * function_word_size(table));
	*address_ret = table->text + take_function_word(table, &b);
	if (i < table->n)
		*data_ret = take_function_word(table, &b);
	/* Offsets of data begin at the table in GO_1_2, else at the functions.
	 */
	if (table->format != GO_1_2)
		*data_ret += table->functions;
	return b.ok;
}

/* Leaves out the functions from the first one on that does not ascend. */
static void limit_functions(struct go_table *table)
{
	size_t most = table->section.size / (2 * function_word_size(table));
	uint64_t last = 0, address, data = 0;
	size_t i;

	table->n = MIN(table->n, most);
	for (i = 0; i <= table->n; i++) {
		if (!read_function_entry(table, i, &address, &data) ||
			(i && address <= last))
			break;
		last = address;
	}
	table->n = i ? i - 1 : 0;
}

size_t go_table_size(const struct go_table *table)
{
	return table->n;
}

/* Returns the name at OFFSET of the names, or NULL. */
static const char *function_name(const struct go_table *table, uint32_t offset)
{
	struct bytes b = go_table_bytes(table, table->names);
	const char *name;

	bytes_take(&b, offset);
	b.end = b.at + MIN(bytes_left(&b), (size_t)NAME_MAX_BYTES);
	name = bytes_string(&b);
	return b.ok && *name ? name : NULL;
}

bool go_table_function(
	const struct go_table *table, size_t i, struct go_function *ret)
{
	uint64_t data, unused = 0;
	struct bytes b;

	if (i >= table->n ||
		!read_function_entry(table, i, &ret->start, &data) ||
		!read_function_entry(table, i + 1, &ret->end, &unused))
		return false;
	b = go_table_bytes(table, data);
	take_function_word(table, &b);
	ret->name = function_name(table, bytes_u32(&b));
	return b.ok && ret->name;
}

uint64_t go_table_names_max(const struct go_table *table)
{
	return (uint64_t)table->section.size * NAMES_SHARE_MAX;
}

/* -------------------------------------------------------------------------- */

/*
 * Finds the table in the section NAME. External linkers put the table of a PIE
 * into the section of all relocated read-only data, aligned to a word.
 */
static bool find_table_in(
	struct go_table *table, struct elf_file *file, const char *name)
{
	struct elf_section *section = &table->section;

	free(table->copy);
	if (!elf_linked_section(file, name, TABLE_MAX, section, &table->copy))
		return false;
	for (; section->size >= HEADER_SIZE; section->at += HEADER_SIZE,
		section->address += HEADER_SIZE, section->size -= HEADER_SIZE)
		if (read_table_magic(table))
			return read_table_header(table);
	return false;
}

struct go_table *go_table_open(struct elf_file *file)
{
	struct go_table *table = xcalloc(1, sizeof(*table));

	table->is_swapped = elf_is_swapped(elf_file_kind(file).order);
	if (find_table_in(table, file, ".gopclntab") ||
		find_table_in(table, file, ".data.rel.ro.gopclntab") ||
		(elf_file_has_section(file, ".go.buildinfo") &&
			find_table_in(table, file, ".data.rel.ro"))) {
		find_table_text(table, file);
		limit_functions(table);
		return table;
	}
	go_table_close(table);
	return NULL;
}

void go_table_close(struct go_table *table)
{
	if (!table)
		return;
	free(table->copy);
	free(table);
}
