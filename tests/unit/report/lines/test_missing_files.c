/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are missing, and that appear later. */
#include "config.h"

#include "report/lines/missing_files.h"

#include <fcntl.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static char folder[64], path[80];
static struct missing_files missing;

static int begin(void **state _unused_)
{
	snprintf(folder, sizeof(folder), "/tmp/dwell-missing-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.dwo", folder);
	return 0;
}

static int end(void **state _unused_)
{
	missing_files_deinit(&missing);
	unlink(path);
	rmdir(folder);
	return 0;
}

static void make_file(const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void add(void)
{
	missing_files_add(&missing, xstrdup(path));
	missing_files_add(&missing, NULL);
	missing_files_add(&missing, xstrdup("/nowhere/at/all"));
}

static void a_missing_file_that_appears_is_detected(void **state _unused_)
{
	assert_true(missing_files_are_unchanged(&missing));
	add();
	assert_int_equal(missing.files.n, 2);
	assert_true(missing_files_are_unchanged(&missing));
	make_file("a");
	assert_false(missing_files_are_unchanged(&missing));
}

static void a_replaced_or_removed_file_is_detected(void **state _unused_)
{
	make_file("a");
	add();
	assert_true(missing_files_are_unchanged(&missing));
	make_file("longer");
	assert_false(missing_files_are_unchanged(&missing));
	unlink(path);
	assert_false(missing_files_are_unchanged(&missing));
}

static void a_written_list_of_missing_files_can_be_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct bytes b;
	size_t n;

	add();
	missing_files_write(&missing, &out);
	assert_int_equal(out.n % 8, 0);
	missing_files_deinit(&missing);
	b = bytes_of(out.at, out.n, false);
	missing_files_read(&missing, &b);
	assert_true(b.ok);
	assert_int_equal(bytes_left(&b), 0);
	assert_int_equal(missing.files.n, 2);
	assert_string_equal(missing.files.at[0].path, path);
	assert_true(missing_files_are_unchanged(&missing));
	make_file("a");
	assert_false(missing_files_are_unchanged(&missing));
	for (n = 0; n < out.n; n++) {
		b = bytes_of(out.at, n, false);
		missing_files_read(&missing, &b);
		assert_false(b.ok);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_missing_file_that_appears_is_detected, begin, end),
		cmocka_unit_test_setup_teardown(
			a_replaced_or_removed_file_is_detected, begin, end),
		cmocka_unit_test_setup_teardown(
			a_written_list_of_missing_files_can_be_read, begin,
			end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
