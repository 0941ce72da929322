/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/util/search_paths.h"

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

/* Asserts that "OLD=." maps PATH to WANTED; NULL: OLD does not match. */
static void assert_mapped(const char *old, const char *path, const char *wanted)
{
	_cleanup_free_ char *text = xasprintf("%s=.", old), *mapped = NULL;
	struct search_sources paths = { 0 };

	assert_null(search_sources_add(&paths, "--source-path", text));
	mapped = search_sources_map(&paths, path);
	search_sources_deinit(&paths);
	if (wanted)
		assert_string_equal(mapped, wanted);
	else
		assert_null(mapped);
}

static void the_replaced_path_must_be_a_whole_folder(void **state _unused_)
{
	assert_mapped("/build/app", "/build/app/a.c", "./a.c");
	assert_mapped("/build/app/", "/build/app//x/a.c", "./x/a.c");
	assert_mapped("/build/app/a.c", "/build/app/a.c", ".");
	assert_mapped("/build/ap", "/build/app/a.c", NULL);
	assert_mapped("/build/app/a.c/b", "/build/app/a.c", NULL);
	assert_mapped("/", "/a.c", "./a.c");
	assert_mapped("/", "a.c", NULL);
}

static void the_replaced_path_can_be_relative(void **state _unused_)
{
	assert_mapped(".", "./src/a.c", "./src/a.c");
	assert_mapped("./", "src/a.c", "./src/a.c");
	assert_mapped(".", "../a.c", "./../a.c");
	assert_mapped(".", "/a.c", NULL);
	assert_mapped("./src", "./src/a.c", "./a.c");
	assert_mapped("src/", ".//src/a.c", "./a.c");
	assert_mapped("./src", "src/a.c", "./a.c");
	assert_mapped("src", "/src/a.c", NULL);
	assert_mapped("./..", "./../a.c", "./a.c");
}

static void the_first_matching_replacement_is_used(void **state _unused_)
{
	struct search_sources paths = { 0 };
	_cleanup_free_ char *mapped = NULL;

	assert_null(search_sources_add(&paths, "x", "/a/b=/"));
	assert_null(search_sources_add(&paths, "x", "/a=."));
	assert_null(search_sources_add(&paths, "x", "/a/c=/"));
	mapped = search_sources_map(&paths, "/a/c/d");
	assert_string_equal(mapped, "./c/d");
	search_sources_deinit(&paths);
}

static void assert_folder(const char *path, const char *wanted)
{
	_cleanup_free_ char *folder = search_sources_folder(path);

	assert_string_equal(folder, wanted);
	assert_mapped(folder, path, *path == '/' ? "./a.c" : "./x/a.c");
}

static void the_suggested_folder_matches_its_path(void **state _unused_)
{
	assert_folder("/x/y/a.c", "/x/y");
	assert_folder("/a.c", "/");
	assert_folder("x/a.c", ".");
	assert_folder("./x/a.c", ".");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_replaced_path_must_be_a_whole_folder),
		cmocka_unit_test(the_replaced_path_can_be_relative),
		cmocka_unit_test(the_first_matching_replacement_is_used),
		cmocka_unit_test(the_suggested_folder_matches_its_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
