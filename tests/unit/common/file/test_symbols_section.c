/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/file/symbols_section.h"

#include <elf.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static void fill(struct bundle *bundle)
{
	struct bundle_dso *dso;

	*bundle = (struct bundle){ 0 };
	dso = array_push(&bundle->dsos);
	dso->path = xstrdup("/usr/lib/libc.so.6");
	dso->build_id = (struct build_id){ 4, { 0xde, 0xad, 0xbe, 0xef } };
	dso->flags = BUNDLE_DYNSYM_ONLY;
	symtab_add(&dso->symbols, 0x100, 0x180, STB_GLOBAL, "malloc");
	symtab_add(&dso->symbols, 0x200, 0x210, STB_LOCAL, "free");
	symtab_finish(&dso->symbols);
	dso = array_push(&bundle->dsos);
	dso->path = xstrdup("[kernel.kallsyms]");
	symtab_add(&dso->symbols, UINT64_C(0xffffffff81000000),
		UINT64_C(0xffffffff81000100), STB_GLOBAL, "schedule");
	symtab_finish(&dso->symbols);
	dso = array_push(&bundle->dsos);
	dso->path = xstrdup("/bin/stripped");
	dso->flags = BUNDLE_HAS_INODE;
	dso->major = 8;
	dso->minor = 1;
	dso->inode = UINT64_C(0x100000002);
	dso->generation = 3;
	dso = array_push(&bundle->dsos);
	dso->path = xstrdup("/bin/last");
	symtab_add(&dso->symbols, 1, 2, STB_GLOBAL, "main");
	symtab_finish(&dso->symbols);
}

static const char *name_at(const struct symtab *table, uint64_t address)
{
	const struct symbol *symbol = symtab_find(table, address);

	return symbol ? symtab_name(table, symbol) : "-";
}

static void a_bundle_is_read_as_it_was_written(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct bundle bundle, found;
	uint8_t *copy;

	fill(&bundle);
	bundle_write(&bundle, &out);
	copy = exact_copy(out.at, out.n);
	GARBAGE(found);
	assert_true(bundle_read(bytes_of(copy, out.n, false), &found));
	assert_int_equal(found.dsos.n, 4);
	assert_string_equal(found.dsos.at[0].path, "/usr/lib/libc.so.6");
	assert_true(build_id_equal(&found.dsos.at[0].build_id,
		&bundle.dsos.at[0].build_id));
	assert_int_equal(found.dsos.at[0].flags, BUNDLE_DYNSYM_ONLY);
	assert_string_equal(
		name_at(&found.dsos.at[0].symbols, 0x17f), "malloc");
	assert_string_equal(name_at(&found.dsos.at[0].symbols, 0x180), "-");
	assert_string_equal(
		name_at(&found.dsos.at[0].symbols, 0x200), "free");
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
	bundle_deinit(&found);
	bundle_deinit(&bundle);
}

static void a_bundle_of_nothing_is_one(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct bundle bundle = { 0 }, found;

	bundle_write(&bundle, &out);
	GARBAGE(found);
	assert_true(bundle_read(bytes_of(out.at, out.n, false), &found));
	assert_int_equal(found.dsos.n, 0);
	bundle_deinit(&found);
}

static void cut_bundles_are_refused_at_every_length(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct bundle bundle, found;
	size_t size;

	fill(&bundle);
	bundle_write(&bundle, &out);
	for (size = 0; size < out.n; size++) {
		uint8_t *copy = exact_copy(out.at, size);

		GARBAGE(found);
		assert_false(
			bundle_read(bytes_of(copy, size, false), &found));
		assert_int_equal(found.dsos.n, 0);
		free(copy);
	}
	bundle_deinit(&bundle);
}

static void damaged_bundles_never_crash(void **state _unused_)
{
	static const uint8_t flips[] = { 0xff, 0x80, 0x01 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct bundle bundle, found;
	size_t at, i;

	fill(&bundle);
	bundle_write(&bundle, &out);
	for (at = 0; at < out.n; at++) {
		for (i = 0; i < ARRAY_SIZE(flips); i++) {
			uint8_t *copy = exact_copy(out.at, out.n);

			copy[at] ^= flips[i];
			if (bundle_read(bytes_of(copy, out.n, false), &found))
				array_each(&found.dsos, dso)
					name_at(&dso->symbols, 0x100);
			bundle_deinit(&found);
			free(copy);
		}
	}
	bundle_deinit(&bundle);
}

/* The number of what is found of DSO by a build ID of one BYTE (0: none). */
static int number_of(
	const struct bundle *bundle, const struct dso *dso, uint8_t byte)
{
	const struct build_id id = { byte ? 1 : 0, { byte } };
	const struct bundle_dso *found = bundle_find(bundle, dso, &id);

	return found ? (int)(found - bundle->dsos.at) : -1;
}

static struct bundle_dso *add(struct bundle *bundle, const char *path)
{
	struct bundle_dso *dso = array_push(&bundle->dsos);

	dso->path = xstrdup(path);
	return dso;
}

static void a_dso_is_found_by_path_and_by_who_it_is(void **state _unused_)
{
	struct dso program = { .path = (char *)"/bin/a", .inode = 7 };
	struct dso memory = { .path = (char *)"//anon", .pid = 3 };
	struct bundle bundle = { 0 };
	struct bundle_dso *new;

	add(&bundle, "/bin/a")->build_id = (struct build_id){ 1, { 9 } };
	new = add(&bundle, "/bin/a");
	bundle_identify(&program, &(struct build_id){ 0 }, new);
	add(&bundle, "//anon")->pid = 2;
	add(&bundle, "//anon")->pid = 3;
	add(&bundle, "/bin/b")->is_by_path = true;
	bundle_index(&bundle);
	assert_int_equal(number_of(&bundle, &program, 9), 0);
	assert_int_equal(number_of(&bundle, &program, 0), 1);
	assert_int_equal(number_of(&bundle, &program, 8), -1);
	program.inode = 8;
	assert_int_equal(number_of(&bundle, &program, 0), -1);
	assert_int_equal(number_of(&bundle, &memory, 0), 3);
	memory.pid = 4;
	assert_int_equal(number_of(&bundle, &memory, 0), -1);
	program.path = (char *)"/bin/b";
	assert_int_equal(number_of(&bundle, &program, 8), 4);
	program.path = (char *)"/bin/c";
	assert_int_equal(number_of(&bundle, &program, 9), -1);
	bundle_deinit(&bundle);
}

static void the_first_of_many_is_found(void **state _unused_)
{
	const struct dso program = { .path = (char *)"/bin/a" };
	struct bundle bundle = { 0 };
	char path[32];
	unsigned i;

	/* As many as make the index grow. */
	for (i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/bin/%u", i);
		add(&bundle, i % 100 == 50 ? "/bin/a" : path);
	}
	bundle_index(&bundle);
	assert_int_equal(number_of(&bundle, &program, 0), 50);
	bundle_deinit(&bundle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bundle_is_read_as_it_was_written),
		cmocka_unit_test(a_bundle_of_nothing_is_one),
		cmocka_unit_test(cut_bundles_are_refused_at_every_length),
		cmocka_unit_test(damaged_bundles_never_crash),
		cmocka_unit_test(a_dso_is_found_by_path_and_by_who_it_is),
		cmocka_unit_test(the_first_of_many_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
