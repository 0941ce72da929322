/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What isn't there, and what may be there now. */
#include "config.h"

#include "report/lines/missing_files.h"

#include <fcntl.h>
#include <stdio.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

static char folder[64], path[80];
static struct sought sought;

static int begin(void **state _unused_)
{
	snprintf(folder, sizeof(folder), "/tmp/dwell-sought-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.dwo", folder);
	return 0;
}

static int end(void **state _unused_)
{
	sought_deinit(&sought);
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
	sought_add(&sought, xstrdup(path));
	sought_add(&sought, NULL);
	sought_add(&sought, xstrdup("/nowhere/at/all"));
}

static void what_appears_is_noticed(void **state _unused_)
{
	assert_true(sought_holds(&sought));
	add();
	assert_int_equal(sought.files.n, 2);
	assert_true(sought_holds(&sought));
	make_file("a");
	assert_false(sought_holds(&sought));
}

static void what_is_another_file_is_noticed(void **state _unused_)
{
	make_file("a");
	add();
	assert_true(sought_holds(&sought));
	make_file("longer");
	assert_false(sought_holds(&sought));
	unlink(path);
	assert_false(sought_holds(&sought));
}

static void what_was_written_is_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct bytes b;
	size_t n;

	add();
	sought_write(&sought, &out);
	assert_int_equal(out.n % 8, 0);
	sought_deinit(&sought);
	b = bytes_of(out.at, out.n, false);
	sought_read(&sought, &b);
	assert_true(b.ok);
	assert_int_equal(bytes_left(&b), 0);
	assert_int_equal(sought.files.n, 2);
	assert_string_equal(sought.files.at[0].path, path);
	assert_true(sought_holds(&sought));
	make_file("a");
	assert_false(sought_holds(&sought));
	for (n = 0; n < out.n; n++) {
		b = bytes_of(out.at, n, false);
		sought_read(&sought, &b);
		assert_false(b.ok);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_appears_is_noticed, begin, end),
		cmocka_unit_test_setup_teardown(
			what_is_another_file_is_noticed, begin, end),
		cmocka_unit_test_setup_teardown(
			what_was_written_is_read, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
