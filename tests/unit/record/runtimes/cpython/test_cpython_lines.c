/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the lines of instructions against those that Python itself finds. */
#include "config.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/util/alloc.h"
#include "common/util/strbuf.h"
#include "record/runtimes/cpython/cpython_lines.h"

#include "tests/unit/testing.h"

/* Converts the hexadecimal TEXT to bytes in TABLE. Returns their number. */
static size_t read_table(const char *text, uint8_t *table)
{
	size_t n = 0;
	unsigned byte;

	for (; sscanf(text, "%2x", &byte) == 1; text += 2)
		table[n++] = (uint8_t)byte;
	return n;
}

/* Compares a row of code_lines.py. Returns the number of instructions. */
static size_t compare_row(char *row)
{
	unsigned major = (unsigned)strtoul(row, &row, 10);
	unsigned minor = (unsigned)strtoul(row, &row, 10);
	struct cpython_lines lines;
	uint8_t *table;
	char *word;
	size_t n = 0;

	lines.first_line = (uint32_t)strtoul(row, &row, 10);
	row += strspn(row, " ");
	word = strsep(&row, " \n");
	table = test_malloc(strlen(word) + 1);
	lines.n = read_table(word, table);
	lines.table = table;
	while ((word = strsep(&row, " \n")) && *word)
		assert_int_equal(
			cpython_lines_find(cpython_layout_find(major, minor),
				&lines, (int64_t)(2 * n++)),
			strtoul(word, NULL, 10));
	test_free(table);
	return n;
}

/* Compares all rows of PYTHON. Returns the number of instructions. */
static size_t compare_python(const char *python)
{
	_cleanup_free_ char *command = xasprintf(
		"'%s' '%s/tests/unit/record/runtimes/cpython/code_lines.py' "
		"2>/dev/null",
		python, getenv("DWELL_SOURCE"));
	FILE *rows = popen(command, "r");
	char *row = NULL;
	size_t room = 0, n = 0;

	assert_non_null(rows);
	while (getline(&row, &room, rows) > 0)
		n += compare_row(row);
	free(row);
	assert_int_equal(pclose(rows), 0);
	return n;
}

/* Returns whether dwell knows the layout of PYTHON. */
static bool is_known(const char *python)
{
	_cleanup_free_ char *command =
		xasprintf("'%s' -c 'import sys; print(\"%%d %%d\" %% "
			  "sys.version_info[:2])' "
			  "2>/dev/null",
			python);
	FILE *version = popen(command, "r");
	unsigned major = 0, minor = 0;
	bool is_read = version && fscanf(version, "%u %u", &major, &minor) == 2;

	if (version)
		pclose(version);
	return is_read && cpython_layout_find(major, minor);
}

static void lines_of_instructions_are_those_that_python_finds(void **state)
{
	const char *home = getenv("HOME");
	_cleanup_free_ char *pattern =
		xasprintf("%s/.pyenv/versions/*/bin/python", home ? home : "");
	glob_t pythons = { 0 };
	size_t i;

	(void)state;
	glob(pattern, 0, NULL, &pythons);
	assert_non_null(getenv("DWELL_SOURCE"));
	if (!is_known("python3") && !pythons.gl_pathc)
		skip_without("python3");
	if (is_known("python3"))
		assert_true(compare_python("python3") > 10000);
	for (i = 0; i < pythons.gl_pathc; i++)
		if (is_known(pythons.gl_pathv[i]))
			assert_true(
				compare_python(pythons.gl_pathv[i]) > 10000);
	globfree(&pythons);
}

static void a_function_that_has_not_begun_has_its_first_line(void **state)
{
	const uint8_t table[] = { 0xff };
	const struct cpython_lines lines = { table, sizeof(table), 7 };

	(void)state;
	assert_int_equal(
		cpython_lines_find(cpython_layout_find(3, 12), &lines, -2), 7);
}

/* Tables of random bytes: the result is any line, and no byte behind is read. */
static void reading_a_damaged_line_table_ends(void **state)
{
	static const unsigned minors[] = { 6, 9, 10, 11, 13 };
	struct cpython_lines lines = { .first_line = 1 };
	size_t round, i, j;

	(void)state;
	srandom(1);
	for (round = 0; round < 2000; round++) {
		uint8_t *table;

		lines.n = (size_t)random() % 20;
		table = test_malloc(lines.n + 1);
		for (i = 0; i < lines.n; i++)
			table[i] = (uint8_t)random();
		/* A copy of the exact size, whose end the sanitizer checks. */
		lines.table = memcpy(xmalloc(lines.n), table, lines.n);
		for (i = 0; i < ARRAY_SIZE(minors); i++)
			for (j = 0; j < 100; j += 2)
				assert_true(cpython_lines_find(
						    cpython_layout_find(
							    3, minors[i]),
						    &lines,
						    (int64_t)j) <= INT32_MAX);
		free((void *)lines.table);
		test_free(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			lines_of_instructions_are_those_that_python_finds),
		cmocka_unit_test(
			a_function_that_has_not_begun_has_its_first_line),
		cmocka_unit_test(reading_a_damaged_line_table_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
