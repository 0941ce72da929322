/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests module_symbols.h with small ELF files, whose tables can be large and sparse. */
#include "config.h"

#include "record/runtimes/interface/module_symbols.h"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/testing.h"

/* A file with .symtab, .strtab, .shstrtab, and one symbol. */
struct made_file {
	uint64_t name;		 /* offset of the symbol's name */
	const char *text;	 /* at .name in .strtab */
	uint64_t symbols, names; /* sizes of .symtab and .strtab */
	uint32_t skipped;	 /* number of empty symbols before the symbol */
	uint32_t in_text;	 /* the symbol's name begins in .text */
};

static const char section_names[] = "\0.symtab\0.strtab\0.shstrtab";
static const char *const prefixes[] = { "wanted_", "also_" };

static void put(int fd, const void *bytes, size_t size, uint64_t at)
{
	assert_int_equal(pwrite(fd, bytes, size, (off_t)at), size);
}

/* Returns the file, which the caller closes. */
static struct elf_file *make_file(const struct made_file *made)
{
	const uint64_t symbols_at = 4096, names_at = symbols_at + made->symbols;
	const Elf64_Shdr sections[] = { { 0 },
		{ .sh_name = 1,
			.sh_type = SHT_SYMTAB,
			.sh_offset = symbols_at,
			.sh_size = made->symbols,
			.sh_link = 2,
			.sh_entsize = sizeof(Elf64_Sym) },
		{ .sh_name = 9,
			.sh_type = SHT_STRTAB,
			.sh_offset = names_at,
			.sh_size = made->names },
		{ .sh_name = 17,
			.sh_type = SHT_STRTAB,
			.sh_offset = 1024,
			.sh_size = sizeof(section_names) } };
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = 2048,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = ARRAY_SIZE(sections),
		.e_shstrndx = 3,
	};
	const Elf64_Sym symbol = {
		.st_name = (uint32_t)made->name + made->in_text,
		.st_shndx = 1,
		.st_value = 0x1234,
		.st_size = 8,
	};
	int fd = memfd_create("made", MFD_CLOEXEC);
	struct elf_file *file;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(names_at + made->names)), 0);
	put(fd, &header, sizeof(header), 0);
	put(fd, section_names, sizeof(section_names), 1024);
	put(fd, sections, sizeof(sections), 2048);
	put(fd, &symbol, sizeof(symbol),
		symbols_at + made->skipped * sizeof(symbol));
	put(fd, made->text, strlen(made->text), names_at + made->name);
	assert_no_error(elf_file_open(fd, "made", &file));
	return file;
}

static enum runtime_state get_symbols(const struct made_file *made,
	const struct module_symbols **ret, const char **reason_ret)
{
	struct elf_file *file = make_file(made);
	enum runtime_state state = module_symbols_get(
		file, prefixes, ARRAY_SIZE(prefixes), ret, reason_ret);

	elf_file_close(file);
	return state;
}

static void assert_found(const struct made_file *made, const char *name)
{
	const struct module_symbols *symbols;
	const struct module_symbol *symbol;
	const char *reason;

	assert_int_equal(get_symbols(made, &symbols, &reason), RUNTIME_READY);
	symbol = module_symbols_find(symbols, name);
	assert_non_null(symbol);
	assert_int_equal(symbol->address, 0x1234);
	assert_int_equal(symbol->size, 8);
	module_symbols_release(symbols);
}

static void only_symbols_with_a_prefix_are_found(void **state)
{
	const struct made_file made = { 1, "other_symbol", 4096, 4096, 0, 0 };
	const struct module_symbols *symbols;
	const char *reason;

	(void)state;
	assert_found(
		&(struct made_file){ 1, "also_x", 4096, 4096, 0, 0 }, "also_x");
	assert_int_equal(get_symbols(&made, &symbols, &reason), RUNTIME_READY);
	assert_int_equal(symbols->list.n, 0);
	module_symbols_release(symbols);
}

static void a_name_that_is_the_end_of_another_name_is_found(void **state)
{
	(void)state;
	assert_found(&(struct made_file){ 1, "_my_wanted_x", 4096, 4096, 0, 4 },
		"wanted_x");
}

static void names_and_symbols_across_the_pieces_of_a_read_are_found(
	void **state)
{
	uint64_t name;

	(void)state;
	for (name = KIB(256) - 12; name <= KIB(256); name++)
		assert_found(&(struct made_file){ name, "wanted_x", MIB(1),
				     MIB(1), 8192 + (uint32_t)(name & 1), 0 },
			"wanted_x");
}

static void a_file_is_read_once_for_all_processes(void **state)
{
	const struct made_file made = { 1, "wanted_x", 4096, 4096, 0, 0 };
	static const char *const other_prefixes[] = { "x_" };
	struct elf_file *file = make_file(&made);
	const struct module_symbols *first, *second, *other;
	uint64_t before = module_symbols_reads();
	const char *reason;

	(void)state;
	module_symbols_get(file, prefixes, 2, &first, &reason);
	module_symbols_get(file, prefixes, 2, &second, &reason);
	assert_ptr_equal(first, second);
	assert_int_equal(module_symbols_reads(), before + 1);
	module_symbols_get(file, other_prefixes, 1, &other, &reason);
	assert_int_equal(other->list.n, 0);
	assert_int_equal(module_symbols_reads(), before + 2);
	module_symbols_release(first);
	module_symbols_release(second);
	module_symbols_release(other);
	elf_file_close(file);
}

static void tables_that_are_too_large_are_not_read(void **state)
{
	const struct made_file made[] = {
		{ 1, "wanted_x", MIB(33), 4096, 0, 0 },
		{ 1, "wanted_x", 4096, UINT64_C(4) << 30, 0, 0 },
	};
	uint64_t before = module_symbols_reads();
	const struct module_symbols *symbols;
	const char *reason;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(made); i++) {
		assert_int_equal(get_symbols(&made[i], &symbols, &reason),
			RUNTIME_REFUSED);
		assert_null(symbols);
		assert_string_equal(reason,
			"the symbol table of its file is larger than 32 MiB, "
			"or its names are larger than 128 MiB");
	}
	assert_int_equal(module_symbols_reads(), before);
}

/* The last test: this user owns all made files. */
static void large_files_of_one_owner_are_read_later(void **state)
{
	const struct made_file made = { 1, "wanted_x", 4096, MIB(120), 0, 0 };
	enum runtime_state found = RUNTIME_READY;
	const struct module_symbols *symbols;
	const char *reason;
	unsigned n;

	(void)state;
	for (n = 0; n < 40 && found == RUNTIME_READY; n++) {
		found = get_symbols(&made, &symbols, &reason);
		module_symbols_release(symbols);
	}
	assert_true(n > 1);
	assert_int_equal(found, RUNTIME_STARTING);
	assert_non_null(strstr(reason, "the owner of the file has many files"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_symbols_with_a_prefix_are_found),
		cmocka_unit_test(
			a_name_that_is_the_end_of_another_name_is_found),
		cmocka_unit_test(
			names_and_symbols_across_the_pieces_of_a_read_are_found),
		cmocka_unit_test(a_file_is_read_once_for_all_processes),
		cmocka_unit_test(tables_that_are_too_large_are_not_read),
		cmocka_unit_test(large_files_of_one_owner_are_read_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
