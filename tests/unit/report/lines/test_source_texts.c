/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of files with different line ends. */
#include "config.h"

#include "report/lines/source_lines.h"

#include <sys/stat.h>

#include "tests/unit/make_folder.h"
#include "tests/unit/testing.h"

/* Returns the lines of a file of TEXT: "line|line|...". */
static void assert_lines(const char *text, const char *wanted)
{
	static const struct search_paths paths;
	struct source_texts *texts =
		source_texts_create(&paths, SOURCE_RELATIVE_TO_CWD);
	_cleanup_strbuf_ struct strbuf path = { 0 }, found = { 0 };
	struct source_text line;
	struct folder folder;
	uint32_t i;

	folder_make(&folder);
	/* As root, only files that all users can open are read. */
	assert_int_equal(chmod(folder.path, 0755), 0);
	folder_put(&folder, "file.c", text);
	strbuf_printf(&path, "%s/file.c", folder.path);
	for (i = 1; (line = source_texts_find(texts, path.at, i)).at; i++) {
		strbuf_put(&found, line.at, line.size);
		strbuf_putc(&found, '|');
	}
	assert_text(&found, wanted);
	assert_null(source_texts_find(texts, path.at, 0).at);
	assert_null(source_texts_find(texts, path.at, UINT32_MAX).at);
	source_texts_destroy(texts);
	folder_remove(&folder);
}

static void a_final_newline_adds_no_source_line(void **state _unused_)
{
	assert_lines("int a;\nint b;\n", "int a;|int b;|");
	assert_lines("int a;\nint b;", "int a;|int b;|");
	assert_lines("", "");
}

static void empty_lines_count_as_source_lines(void **state _unused_)
{
	assert_lines("\n", "|");
	assert_lines("a\n\n", "a||");
	assert_lines("\n\nb", "||b|");
}

static void cr_lf_line_ends_are_not_part_of_a_source_line(void **state _unused_)
{
	assert_lines("a\r\nb\r\n\r\n", "a|b||");
	assert_lines("a\r\nb\r", "a|b|");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_final_newline_adds_no_source_line),
		cmocka_unit_test(empty_lines_count_as_source_lines),
		cmocka_unit_test(cr_lf_line_ends_are_not_part_of_a_source_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
