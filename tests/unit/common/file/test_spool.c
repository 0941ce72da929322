/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file/spool.h"
#include "tests/unit/testing.h"

#define MEMORY_MAX 1000u

/* Spools TEXT through a pipe. Returns true if the result is in memory. */
static bool is_in_memory(const char *text, size_t size)
{
	char read_back[2 * MEMORY_MAX], link[64], path[256] = "";
	struct stat status;
	int ends[2], fd = -1;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, size), size);
	close(ends[1]);
	assert_no_error(spool_read(ends[0], MEMORY_MAX, &fd));
	close(ends[0]);
	assert_int_equal(fstat(fd, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	assert_int_equal(status.st_nlink, 0);
	assert_int_equal(
		pread(fd, read_back, sizeof(read_back), 0), (ssize_t)size);
	assert_memory_equal(read_back, text, size);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	assert_true(readlink(link, path, sizeof(path) - 1) > 0);
	close(fd);
	return !strncmp(path, "/memfd:", 7);
}

static void small_input_is_spooled_in_memory(void **state _unused_)
{
	char text[MEMORY_MAX];

	memset(text, 'x', sizeof(text));
	text[0] = 'a';
	assert_true(is_in_memory(text, sizeof(text)));
	assert_true(is_in_memory(text, 1));
	assert_true(is_in_memory(NULL, 0));
}

static void larger_input_is_spooled_to_an_unnamed_file(void **state _unused_)
{
	char text[2 * MEMORY_MAX];
	size_t i;

	for (i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	assert_false(is_in_memory(text, MEMORY_MAX + 1));
	assert_false(is_in_memory(text, 2 * MEMORY_MAX));
}

static void the_error_for_a_missing_tmpdir_names_the_folder(
	void **state _unused_)
{
	char text[MEMORY_MAX + 1] = "";
	int ends[2], fd = -1;

	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, sizeof(text)), sizeof(text));
	close(ends[1]);
	assert_error(spool_read(ends[0], MEMORY_MAX, &fd),
		"cannot create a temporary file in /nonexistent: No such file "
		"or "
		"directory; set TMPDIR to a folder with room for it");
	close(ends[0]);
	unsetenv("TMPDIR");
}

static void unreadable_input_is_an_error(void **state _unused_)
{
	int fd = -1;

	assert_error(spool_read(-1, MEMORY_MAX, &fd),
		"cannot read the input: Bad file descriptor");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_input_is_spooled_in_memory),
		cmocka_unit_test(larger_input_is_spooled_to_an_unnamed_file),
		cmocka_unit_test(
			the_error_for_a_missing_tmpdir_names_the_folder),
		cmocka_unit_test(unreadable_input_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
