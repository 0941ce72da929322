/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/symbols_section.h"

#include <elf.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static void fill(struct symbols_section *section)
{
	struct symbols_dso *dso;

	*section = (struct symbols_section){ 0 };
	dso = array_push(&section->dsos);
	dso->path = xstrdup("/usr/lib/libc.so.6");
	dso->build_id = (struct build_id){ 4, { 0xde, 0xad, 0xbe, 0xef } };
	dso->flags = SYMBOLS_DSO_DYNSYM_ONLY;
	symtab_add(&dso->symbols, 0x100, 0x180, STB_GLOBAL, "malloc");
	symtab_add(&dso->symbols, 0x200, 0x210, STB_LOCAL, "free");
	symtab_finish(&dso->symbols);
	symtab_add_other(&dso->symbols, 0x100, "__libc_malloc");
	symtab_finish(&dso->symbols);
	symtab_add(
		&dso->guesses, 0x300, 0x310, STB_LOCAL, "[libc.so.6+0x1300]");
	symtab_finish(&dso->guesses);
	dso = array_push(&section->dsos);
	dso->path = xstrdup("[kernel.kallsyms]");
	symtab_add(&dso->symbols, UINT64_C(0xffffffff81000000),
		UINT64_C(0xffffffff81000100), STB_GLOBAL, "schedule");
	symtab_finish(&dso->symbols);
	dso = array_push(&section->dsos);
	dso->path = xstrdup("/bin/stripped");
	dso->flags = SYMBOLS_DSO_HAS_INODE;
	dso->major = 8;
	dso->minor = 1;
	dso->inode = UINT64_C(0x100000002);
	dso->generation = 3;
	dso = array_push(&section->dsos);
	dso->path = xstrdup("/bin/last");
	symtab_add(&dso->symbols, 1, 2, STB_GLOBAL, "main");
	symtab_finish(&dso->symbols);
}

static const char *name_at(const struct symtab *table, uint64_t address)
{
	const struct symbol *symbol = symtab_find(table, address);

	return symbol ? symtab_name(table, symbol) : "-";
}

static void a_symbols_section_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symbols_section section, found;
	uint8_t *copy;

	fill(&section);
	symbols_section_write(&section, &out);
	copy = exact_copy(out.at, out.n);
	GARBAGE(found);
	assert_true(symbols_section_read(bytes_of(copy, out.n, false), &found));
	assert_int_equal(found.dsos.n, 4);
	assert_string_equal(found.dsos.at[0].path, "/usr/lib/libc.so.6");
	assert_true(build_id_equal(
		&found.dsos.at[0].build_id, &section.dsos.at[0].build_id));
	assert_int_equal(found.dsos.at[0].flags, SYMBOLS_DSO_DYNSYM_ONLY);
	assert_string_equal(
		name_at(&found.dsos.at[0].symbols, 0x17f), "malloc");
	assert_string_equal(name_at(&found.dsos.at[0].symbols, 0x180), "-");
	assert_string_equal(name_at(&found.dsos.at[0].symbols, 0x200), "free");
	assert_string_equal(
		symtab_other_name(&found.dsos.at[0].symbols,
			symtab_find(&found.dsos.at[0].symbols, 0x100), 0),
		"__libc_malloc");
	assert_string_equal(name_at(&found.dsos.at[0].symbols, 0x300), "-");
	assert_string_equal(name_at(&found.dsos.at[0].guesses, 0x30f),
		"[libc.so.6+0x1300]");
	assert_string_equal(name_at(&found.dsos.at[0].guesses, 0x200), "-");
	assert_string_equal(found.dsos.at[1].path, "[kernel.kallsyms]");
	assert_int_equal(found.dsos.at[1].build_id.size, 0);
	assert_string_equal(name_at(&found.dsos.at[1].symbols,
				    UINT64_C(0xffffffff81000000)),
		"schedule");
	assert_string_equal(found.dsos.at[2].path, "/bin/stripped");
	assert_int_equal(found.dsos.at[2].symbols.symbols.n, 0);
	assert_int_equal(found.dsos.at[2].build_id.size, 0);
	assert_int_equal(found.dsos.at[2].major, 8);
	assert_int_equal(found.dsos.at[2].minor, 1);
	assert_int_equal(found.dsos.at[2].inode, UINT64_C(0x100000002));
	assert_int_equal(found.dsos.at[2].generation, 3);
	free(copy);
	symbols_section_deinit(&found);
	symbols_section_deinit(&section);
}

static void an_empty_symbols_section_is_valid(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symbols_section section = { 0 }, found;

	symbols_section_write(&section, &out);
	GARBAGE(found);
	assert_true(
		symbols_section_read(bytes_of(out.at, out.n, false), &found));
	assert_int_equal(found.dsos.n, 0);
	symbols_section_deinit(&found);
}

static void truncated_symbols_sections_are_refused_at_every_length(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symbols_section section, found;
	size_t size, n_read = 0;

	fill(&section);
	symbols_section_write(&section, &out);
	for (size = 0; size < out.n; size++) {
		uint8_t *copy = exact_copy(out.at, size);

		GARBAGE(found);
		n_read += symbols_section_read(
			bytes_of(copy, size, false), &found);
		symbols_section_deinit(&found);
		free(copy);
	}
	/* Only the part behind the DSOs may be missing. */
	assert_int_equal(n_read, 1);
	symbols_section_deinit(&section);
}

static void reading_damaged_symbols_sections_never_crashes(
	void **state _unused_)
{
	static const uint8_t flips[] = { 0xff, 0x80, 0x01 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct symbols_section section, found;
	size_t at, i;

	fill(&section);
	symbols_section_write(&section, &out);
	for (at = 0; at < out.n; at++) {
		for (i = 0; i < ARRAY_SIZE(flips); i++) {
			uint8_t *copy = exact_copy(out.at, out.n);

			copy[at] ^= flips[i];
			if (symbols_section_read(
				    bytes_of(copy, out.n, false), &found))
				array_each(&found.dsos, dso)
					name_at(&dso->symbols, 0x100);
			symbols_section_deinit(&found);
			free(copy);
		}
	}
	symbols_section_deinit(&section);
}

/* Returns the number of the entry for DSO with a build ID of BYTE (0: none). */
static int found_number(const struct symbols_section *section,
	const struct dso *dso, uint8_t byte)
{
	const struct build_id id = { byte ? 1 : 0, { byte } };
	const struct symbols_dso *found =
		symbols_section_find(section, dso, &id);

	return found ? (int)(found - section->dsos.at) : -1;
}

static struct symbols_dso *add(
	struct symbols_section *section, const char *path)
{
	struct symbols_dso *dso = array_push(&section->dsos);

	dso->path = xstrdup(path);
	return dso;
}

static void a_dso_is_found_by_its_path_and_build_id_inode_or_pid(
	void **state _unused_)
{
	struct dso program = { .path = (char *)"/bin/a", .inode = 7 };
	struct dso memory = { .path = (char *)"//anon", .pid = 3 };
	struct symbols_section section = { 0 };
	struct symbols_dso *new;

	add(&section, "/bin/a")->build_id = (struct build_id){ 1, { 9 } };
	new = add(&section, "/bin/a");
	symbols_dso_identify(&program, &(struct build_id){ 0 }, new);
	add(&section, "//anon")->pid = 2;
	add(&section, "//anon")->pid = 3;
	add(&section, "/bin/b")->is_by_path = true;
	symbols_section_index(&section);
	assert_int_equal(found_number(&section, &program, 9), 0);
	assert_int_equal(found_number(&section, &program, 0), 1);
	assert_int_equal(found_number(&section, &program, 8), -1);
	program.inode = 8;
	assert_int_equal(found_number(&section, &program, 0), -1);
	assert_int_equal(found_number(&section, &memory, 0), 3);
	memory.pid = 4;
	assert_int_equal(found_number(&section, &memory, 0), -1);
	program.path = (char *)"/bin/b";
	assert_int_equal(found_number(&section, &program, 8), 4);
	program.path = (char *)"/bin/c";
	assert_int_equal(found_number(&section, &program, 9), -1);
	symbols_section_deinit(&section);
}

static void the_first_of_equal_dsos_is_found(void **state _unused_)
{
	const struct dso program = { .path = (char *)"/bin/a" };
	struct symbols_section section = { 0 };
	char path[32];
	unsigned i;

	/* Enough to make the index grow. */
	for (i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/bin/%u", i);
		add(&section, i % 100 == 50 ? "/bin/a" : path);
	}
	symbols_section_index(&section);
	assert_int_equal(found_number(&section, &program, 0), 50);
	symbols_section_deinit(&section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_symbols_section_is_read_as_it_was_written),
		cmocka_unit_test(an_empty_symbols_section_is_valid),
		cmocka_unit_test(
			truncated_symbols_sections_are_refused_at_every_length),
		cmocka_unit_test(
			reading_damaged_symbols_sections_never_crashes),
		cmocka_unit_test(
			a_dso_is_found_by_its_path_and_build_id_inode_or_pid),
		cmocka_unit_test(the_first_of_equal_dsos_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
