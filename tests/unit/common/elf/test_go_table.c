/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of stripped Go programs: of each version, and damaged. */
#include "config.h"

#include "common/elf/go_table.h"

#include <elf.h>
#include <sys/mman.h>

#include "tests/unit/make_go.h"
#include "tests/unit/testing.h"

#define MAIN_OFFSET (MADE_GO_CODE - MADE_GO_BASE)

static struct elf_file *open_bytes(const void *data, size_t size)
{
	struct elf_file *file = NULL;
	int fd = memfd_create("go", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	error_free(elf_file_open(fd, "go", &file));
	return file;
}

/* Returns the symbols of the program BYTES, and whether they are complete. */
static bool read_own_symbols(const struct strbuf *bytes, struct symtab *table)
{
	struct elf_file *file = open_bytes(bytes->at, bytes->n);
	bool is_complete;

	*table = (struct symtab){ 0 };
	if (!file)
		return false;
	is_complete = elf_file_own_symbols(file, table);
	symtab_finish(table);
	elf_file_close(file);
	return is_complete;
}

static void assert_symbol(const struct symtab *table, uint64_t offset,
	uint64_t start, uint64_t size, const char *name)
{
	const struct symbol *symbol = symtab_find(table, offset);

	assert_non_null(symbol);
	assert_int_equal(symbol->start, start);
	assert_int_equal(symbol->end - symbol->start, size);
	assert_string_equal(symtab_name(table, symbol), name);
}

static void assert_made_symbols(const struct strbuf *bytes)
{
	uint64_t end = MAIN_OFFSET + MADE_GO_MAIN_SIZE;
	struct symtab table;

	assert_true(read_own_symbols(bytes, &table));
	assert_int_equal(table.symbols.n, 2);
	assert_symbol(&table, MAIN_OFFSET, MAIN_OFFSET, MADE_GO_MAIN_SIZE,
		"main.main");
	assert_symbol(
		&table, end - 1, MAIN_OFFSET, MADE_GO_MAIN_SIZE, "main.main");
	assert_symbol(&table, end, end, MADE_GO_ADD_SIZE, "main.(*list).add");
	assert_null(symtab_find(&table, MAIN_OFFSET - 1));
	assert_null(symtab_find(&table, end + MADE_GO_ADD_SIZE));
	symtab_deinit(&table);
}

static void functions_of_programs_of_each_go_version_are_read(
	void **state _unused_)
{
	unsigned version, layout;

	for (version = 0; version < MADE_GO_VERSIONS; version++)
		for (layout = 0; layout < MADE_GO_LAYOUTS; layout++) {
			_cleanup_strbuf_ struct strbuf bytes = { 0 };

			made_go_program(version, layout, &bytes);
			assert_made_symbols(&bytes);
		}
}

/* Returns the header of section NAME. */
static Elf64_Shdr *find_header(const struct strbuf *bytes, const char *name)
{
	const Elf64_Ehdr *start = (const void *)bytes->at;
	Elf64_Shdr *headers = (void *)(bytes->at + start->e_shoff);
	const char *names = bytes->at + headers[start->e_shstrndx].sh_offset;
	unsigned i;

	for (i = 1; i < start->e_shnum; i++)
		if (string_is(names + headers[i].sh_name, name))
			return &headers[i];
	fail_msg("no section %s", name);
	return NULL;
}

static void a_go_function_is_found_by_name(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct elf_symbol symbol;
	struct elf_file *file;

	made_go_program(MADE_GO_1_20, MADE_GO_PIE, &bytes);
	file = open_bytes(bytes.at, bytes.n);
	GARBAGE(symbol);
	assert_true(elf_file_find(file, "main.(*list).add", &symbol));
	assert_int_equal(symbol.address, MADE_GO_CODE + MADE_GO_MAIN_SIZE);
	assert_int_equal(symbol.size, MADE_GO_ADD_SIZE);
	assert_int_equal(symbol.offset, MAIN_OFFSET + MADE_GO_MAIN_SIZE);
	assert_false(elf_file_find(file, "main.inner", &symbol));
	elf_file_close(file);
}

/* C code is before or behind Go's, and its functions are not in the table. */
static void the_function_table_of_a_program_with_c_code_is_incomplete(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct symtab table;
	Elf64_Shdr *header;

	made_go_program(MADE_GO_1_20, MADE_GO_FIXED, &bytes);
	header = find_header(&bytes, ".text");
	header->sh_addr -= 16;
	header->sh_offset -= 16;
	header->sh_size += 16;
	assert_false(read_own_symbols(&bytes, &table));
	assert_int_equal(table.symbols.n, 2);
	symtab_deinit(&table);
}

/* Returns segment I. Before the code is space for more than the only one. */
static Elf64_Phdr *find_segment(const struct strbuf *bytes, unsigned i)
{
	return (Elf64_Phdr *)(void *)(bytes->at + sizeof(Elf64_Ehdr)) + i;
}

/* main.main is in the second segment; the first begins at main.(*list).add. */
static void go_functions_are_found_in_segments_of_any_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	Elf64_Phdr *first, *second;
	struct symtab table;

	made_go_program(MADE_GO_1_20, MADE_GO_FIXED, &bytes);
	((Elf64_Ehdr *)(void *)bytes.at)->e_phnum = 2;
	first = find_segment(&bytes, 0);
	second = find_segment(&bytes, 1);
	*second = *first;
	second->p_vaddr = MADE_GO_CODE - 16;
	second->p_offset = MAIN_OFFSET - 16;
	second->p_filesz = 16 + MADE_GO_MAIN_SIZE;
	first->p_vaddr = MADE_GO_CODE + MADE_GO_MAIN_SIZE;
	first->p_offset = 0x2000;
	read_own_symbols(&bytes, &table);
	assert_int_equal(table.symbols.n, 2);
	assert_symbol(&table, MAIN_OFFSET, MAIN_OFFSET, MADE_GO_MAIN_SIZE,
		"main.main");
	assert_symbol(
		&table, 0x2000, 0x2000, MADE_GO_ADD_SIZE, "main.(*list).add");
	symtab_deinit(&table);
	first->p_vaddr++;
	read_own_symbols(&bytes, &table);
	assert_int_equal(table.symbols.n, 1);
	symtab_deinit(&table);
	first->p_vaddr = UINT64_MAX - 16;
	read_own_symbols(&bytes, &table);
	assert_int_equal(table.symbols.n, 1);
	symtab_deinit(&table);
}

/* Returns whether a function is found after 99 with a name of SIZE bytes. */
static bool is_last_found(unsigned size)
{
	const struct made_go_many many = {
		.functions = 100, .size = 8, .name_size = size
	};
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct elf_symbol symbol;
	struct elf_file *file;
	struct symtab table;
	bool is_found;

	made_go_many(&many, &bytes);
	file = open_bytes(bytes.at, bytes.n);
	is_found = elf_file_find(file, "main.last", &symbol);
	elf_file_close(file);
	read_own_symbols(&bytes, &table);
	assert_int_equal(
		symtab_find(&table, MAIN_OFFSET + 99 * 8) != NULL, is_found);
	symtab_deinit(&table);
	return is_found;
}

/* Names without an end within 64 KiB are damage, and count as others do. */
static void go_function_names_are_read_up_to_a_total_size(void **state _unused_)
{
	assert_true(is_last_found(10));
	assert_false(is_last_found(60000));
	assert_false(is_last_found(70000));
}

/* The address of the code of Go 1.26 is in the moduledata only. */
static void code_begins_at_section_text_if_the_table_has_no_address(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };

	made_go_program(MADE_GO_1_26, MADE_GO_FIXED, &bytes);
	find_header(&bytes, ".go.module")->sh_name = 0;
	assert_made_symbols(&bytes);
}

/* Changes each byte of section NAME, and cuts the section after each byte. */
static void damage_section(struct strbuf *bytes, const char *name)
{
	static const uint8_t changes[] = { 0x01, 0x80, 0xff };
	Elf64_Shdr *header = find_header(bytes, name);
	uint64_t size = header->sh_size, i;
	struct symtab table;
	size_t j;

	for (i = 0; i < size; i++) {
		char *at = bytes->at + header->sh_offset + i;

		for (j = 0; j < ARRAY_SIZE(changes); j++) {
			*at = (char)(*at ^ changes[j]);
			read_own_symbols(bytes, &table);
			assert_in_range(table.symbols.n, 0, 2);
			symtab_deinit(&table);
			*at = (char)(*at ^ changes[j]);
		}
		header->sh_size = i;
		read_own_symbols(bytes, &table);
		symtab_deinit(&table);
		header->sh_size = size;
	}
}

static void damaged_go_tables_never_have_more_functions_than_intact_ones(
	void **state _unused_)
{
	unsigned version;

	for (version = 0; version < MADE_GO_VERSIONS; version++) {
		_cleanup_strbuf_ struct strbuf bytes = { 0 };

		made_go_program(version, MADE_GO_PIE, &bytes);
		damage_section(&bytes, ".gopclntab");
		damage_section(&bytes, ".rela.dyn");
		if (version == MADE_GO_1_26)
			damage_section(&bytes, ".go.module");
		assert_made_symbols(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			functions_of_programs_of_each_go_version_are_read),
		cmocka_unit_test(a_go_function_is_found_by_name),
		cmocka_unit_test(
			the_function_table_of_a_program_with_c_code_is_incomplete),
		cmocka_unit_test(
			go_functions_are_found_in_segments_of_any_order),
		cmocka_unit_test(go_function_names_are_read_up_to_a_total_size),
		cmocka_unit_test(
			code_begins_at_section_text_if_the_table_has_no_address),
		cmocka_unit_test(
			damaged_go_tables_never_have_more_functions_than_intact_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
