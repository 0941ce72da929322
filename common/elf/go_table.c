/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/go_table.h"

#include "common/elf/elf_private.h"
#include "common/elf/go_table_private.h"
#include "common/util/alloc.h"

/* Limits of the section in bytes and of its functions. */
#define TABLE_MAX MIB(128)
#define FUNCTIONS_MAX (UINT32_C(1) << 22)
/* Size in bytes of the part of the header that all formats have in common. */
#define HEADER_SIZE 8u
/* Limit of a name in bytes. */
#define NAME_MAX_BYTES KIB(64)
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
#define NEW_MODULE_SECTION ".go.module"
static const char *const old_module_sections[] = { ".noptrdata", ".data",
	".data.rel.ro" };

static const uint32_t format_magics[GO_FORMATS] = {
	[GO_1_2] = 0xfffffffb,
	[GO_1_16] = 0xfffffffa,
	[GO_1_18] = 0xfffffff0,
	[GO_1_20] = 0xfffffff1,
};

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
	bool is_zero;

	is_zero = bytes_u16(&b) == 0;
	table->quantum = bytes_u8(&b);
	table->pointer_size = bytes_u8(&b);
	for (table->format = 0; table->format < GO_FORMATS; table->format++)
		if (magic == format_magics[table->format])
			break;
	return b.ok && is_zero && table->format < GO_FORMATS &&
		(table->quantum == 1 || table->quantum == 2 ||
			table->quantum == 4) &&
		(table->pointer_size == 4 || table->pointer_size == 8);
}

/*
 * Returns the offset of the names of files in GO_1_2, which is behind the
 * functions.
 */
static uint64_t old_files(const struct go_table *table)
{
	struct bytes b = go_table_bytes(table,
		table->functions +
			(2 * (uint64_t)table->n + 1) * table->pointer_size);

	return bytes_u32(&b);
}

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
	if (string_is(name, NEW_MODULE_SECTION))
		ret->calls = find_new_gofunc(table, b);
	else
		ret->calls = module_word(table, b,
			table->format < GO_1_20 ? GOFUNC_1_18 : GOFUNC_1_20);
	return true;
}

bool go_table_module(const struct go_table *table, struct elf_file *file,
	struct go_module *ret)
{
	size_t i;

	if (read_module(table, file, NEW_MODULE_SECTION, ret))
		return true;
	for (i = 0; i < ARRAY_SIZE(old_module_sections); i++)
		if (read_module(table, file, old_module_sections[i], ret))
			return true;
	return false;
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
	*address_ret = table->text + go_table_function_word(table, &b);
	if (i < table->n)
		*data_ret = go_table_function_word(table, &b);
	/* Offsets begin at the table in GO_1_2, else at the functions. */
	if (table->format != GO_1_2)
		*data_ret += table->functions;
	return b.ok;
}

size_t go_table_find(const struct go_table *table, uint64_t address)
{
	size_t low = 0, high = table->n;
	uint64_t start = 0, unused;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		read_function_entry(table, middle, &start, &unused);
		if (start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : table->n;
}

size_t go_table_size(const struct go_table *table)
{
	return table->n;
}

const char *go_table_text(const struct go_table *table, uint64_t start,
	uint64_t offset, uint64_t *left)
{
	struct bytes b = go_table_bytes(table, start);
	size_t most = (size_t)MIN(*left, (uint64_t)NAME_MAX_BYTES);
	const char *text;

	bytes_take(&b, offset);
	if (!b.ok)
		return NULL;
	most = MIN(most, bytes_left(&b));
	b.end = b.at + most;
	text = bytes_string(&b);
	*left -= b.ok ? most - bytes_left(&b) : most;
	return b.ok && *text ? text : NULL;
}

struct bytes go_table_function_data(const struct go_table *table, size_t i)
{
	uint64_t address, data = UINT64_MAX;
	struct bytes b;

	if (i < table->n)
		read_function_entry(table, i, &address, &data);
	b = go_table_bytes(table, data);
	go_table_function_word(table, &b);
	return b;
}

bool go_table_function(
	const struct go_table *table, size_t i, struct go_function *ret)
{
	uint64_t unused = 0;

	return go_table_function_data(table, i).ok &&
		read_function_entry(table, i, &ret->start, &unused) &&
		read_function_entry(table, i + 1, &ret->end, &unused);
}

const char *go_table_name(
	const struct go_table *table, size_t i, uint64_t *left)
{
	struct bytes b = go_table_function_data(table, i);
	uint32_t offset = bytes_u32(&b);

	return b.ok ? go_table_text(table, table->names, offset, left) : NULL;
}

uint64_t go_table_bytes_max(const struct go_table *table)
{
	return table->section.size;
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
		if (read_table_magic(table)) {
			struct bytes b = go_table_bytes(table, HEADER_SIZE);

			table->n = (size_t)go_table_word(table, &b);
			if (table->format == GO_1_2) {
				table->functions =
					HEADER_SIZE + table->pointer_size;
				table->files = old_files(table);
				return b.ok;
			}
			go_table_word(table, &b); /* number of files */
			if (table->format >= GO_1_18)
				table->text = go_table_word(table, &b);
			table->names = go_table_word(table, &b);
			table->units = go_table_word(table, &b);
			table->files = go_table_word(table, &b);
			table->values = go_table_word(table, &b);
			table->functions = go_table_word(table, &b);
			return b.ok;
		}
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
		struct go_module module;

		/* The address of the code is not in the header since Go 1.26. */
		if (table->format >= GO_1_18 && !table->text)
			table->text = go_table_module(table, file, &module)
				? module.text
				: elf_file_section_address(file, ".text");
		/*
		 * Leave out the functions from the first one on that does not
		 * ascend.
		 */
		size_t most =
			table->section.size / (2 * function_word_size(table));
		uint64_t last = 0, address, data = 0;
		size_t i;

		most = MIN(most, (size_t)FUNCTIONS_MAX);
		table->n = MIN(table->n, most);
		for (i = 0; i <= table->n; i++) {
			if (!read_function_entry(table, i, &address, &data) ||
				(i && address <= last))
				break;
			last = address;
		}
		table->n = i ? i - 1 : 0;
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
