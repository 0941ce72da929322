/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind rules of more files than can be open. */
#include "config.h"

#include "tests/unit/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "record/unwind/rules.h"

#define FILES 600u
/* More batches than needed to close unused files. */
#define BATCHES 1000u
#define DISTANCE UINT64_C(0x10000000)

struct fixture {
	char folder[64];
	struct maps *maps;
	struct rules *rules;
	struct rules_place place;
	uint64_t pc; /* in the first file; the next files are DISTANCE apart */
};

int main(void);

/* The code of this program, mapped at each START as a different file. */
static void add_file(struct fixture *f, uint32_t number,
	const struct record_mmap *like, const char *program)
{
	struct record_mmap map = *like;
	char path[128];

	snprintf(path, sizeof(path), "%s/%u", f->folder, number);
	assert_int_equal(symlink(program, path), 0);
	map.path = path;
	map.start = DISTANCE * (number + 1);
	maps_add_mmap(f->maps, &map, 1);
}

static void find_code(struct record_mmap *ret, uint64_t *pc_ret)
{
	unsigned long wanted = (unsigned long)main, start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		assert_int_equal(
			sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset),
			3);
		if (wanted < start || wanted >= end)
			continue;
		ret->size = end - start;
		ret->offset = offset;
		*pc_ret = DISTANCE + wanted - start;
	}
	fclose(maps);
	assert_true(*pc_ret);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct record_mmap map = { .pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid() };
	char program[4096] = "";
	struct stat file;
	uint32_t i;

	assert_non_null(f);
	*state = f;
	snprintf(f->folder, sizeof(f->folder), "/tmp/dwell-rules-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	assert_true(
		readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	assert_int_equal(stat(program, &file), 0);
	map.major = major(file.st_dev);
	map.minor = minor(file.st_dev);
	map.inode = file.st_ino;
	find_code(&map, &f->pc);
	f->maps = maps_create();
	for (i = 0; i < FILES; i++)
		add_file(f, i, &map, program);
	f->rules = rules_create(NULL);
	f->place = (struct rules_place){
		.maps = f->maps, .pid = map.pid, .time = 2
	};
	f->place.space = maps_context(f->maps, map.pid, map.tid, 2).space;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	char path[128];
	uint32_t i;

	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%u", f->folder, i);
		unlink(path);
	}
	rmdir(f->folder);
	rules_destroy(f->rules);
	maps_destroy(f->maps);
	free(f);
	return 0;
}

static bool has_rules(struct fixture *f, uint32_t number)
{
	uint64_t pc = f->pc + DISTANCE * number;
	struct unwind_code code;

	assert_true(rules_find(f->rules, &f->place, pc, &code));
	return code.cfi && cfi_rule(code.cfi, pc - code.bias) != CFI_NONE;
}

static void files_of_unused_unwind_rules_are_closed(void **state)
{
	struct fixture *f = *state;
	uint64_t before = rules_version(f->rules, &f->place);
	uint32_t i;

	for (i = 0; i < FILES - 1; i++)
		has_rules(f, i);
	assert_true(has_rules(f, 0));
	assert_false(has_rules(f, FILES - 1));
	assert_true(rules_version(f->rules, &f->place) == before);
	for (i = 0; i < BATCHES && !has_rules(f, FILES - 1); i++) {
		assert_true(has_rules(f, 0));
		rules_settle(f->rules);
	}
	/* The version has changed. */
	assert_true(rules_version(f->rules, &f->place) != before);
	assert_true(has_rules(f, FILES - 1));
	assert_true(has_rules(f, 0));
	/* Closed files are opened again when they are used. */
	assert_true(has_rules(f, 1));
}

static void files_of_unwind_rules_stay_open_while_there_is_space(void **state)
{
	struct fixture *f = *state;
	uint64_t before = rules_version(f->rules, &f->place);
	uint32_t i;

	assert_true(has_rules(f, 0));
	for (i = 0; i < BATCHES; i++)
		rules_settle(f->rules);
	assert_true(rules_version(f->rules, &f->place) == before);
}

/* Otherwise --call-graph auto would handle all JIT code as one file. */
static void jit_code_belongs_to_no_file(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map = { .pid = f->place.pid,
		.tid = f->place.pid,
		.start = 0x1000,
		.size = 0x1000,
		.path = "//anon" };
	struct unwind_code code;
	uint32_t first, second;
	const char *path;

	maps_add_mmap(f->maps, &map, 1);
	assert_true(rules_find(f->rules, &f->place, 0x1000, &code));
	assert_false(rules_file(f->rules, &f->place, 0x1000, &first, &path));
	assert_true(rules_file(f->rules, &f->place, f->pc, &first, &path));
	assert_string_equal(path + strlen(path) - 2, "/0");
	assert_true(rules_file(
		f->rules, &f->place, f->pc + DISTANCE, &second, &path));
	assert_string_equal(path + strlen(path) - 2, "/1");
	assert_int_not_equal(first, second);
}

/* rules_find() does not distinguish such code from code without rules. */
static void a_deleted_file_is_reported_as_missing(void **state)
{
	struct fixture *f = *state;
	struct record_mmap map = { .pid = f->place.pid,
		.tid = f->place.pid,
		.start = 0x1000,
		.size = 0x1000,
		.path = "/nonexistent/gone" };
	struct unwind_code code;

	maps_add_mmap(f->maps, &map, 1);
	assert_true(rules_find(f->rules, &f->place, 0x1000, &code));
	assert_null(code.cfi);
	assert_true(rules_file_is_missing(f->rules, &f->place, 0x1000));
	assert_false(rules_file_is_missing(f->rules, &f->place, f->pc));
	/* No file is missing where nothing is mapped. */
	assert_false(rules_file_is_missing(f->rules, &f->place, 0x10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			files_of_unused_unwind_rules_are_closed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			files_of_unwind_rules_stay_open_while_there_is_space,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			jit_code_belongs_to_no_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_deleted_file_is_reported_as_missing, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
