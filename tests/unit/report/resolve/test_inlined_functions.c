/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identity and names of inlined functions, and names of lambdas. */
#include "config.h"

#include "report/resolve/inlined_functions.h"

#include "tests/unit/testing.h"

static struct inlined_functions functions;

static int end(void **state _unused_)
{
	inlined_functions_deinit(&functions);
	memset(&functions, 0, sizeof(functions));
	return 0;
}

static uint32_t find_in(
	uint32_t dso_name, const char *name, const char *file, uint32_t line)
{
	const struct line_frame frame = { .name = name,
		.declared = { .file = file, .line = line } };

	return inlined_functions_find(&functions, &frame, dso_name);
}

static uint32_t find(const char *name, const char *file, uint32_t line)
{
	return find_in(1, name, file, line);
}

static uint32_t find_lambda(const char *name, const char *qualified)
{
	const struct line_frame frame = { .name = name,
		.declared = { .qualified = qualified,
			.file = "/src/a.cpp",
			.line = 3,
			.is_lambda = true } };

	return inlined_functions_find(&functions, &frame, 1);
}

static void assert_shown(uint32_t number, const char *expected)
{
	assert_string_equal(
		inlined_functions_shown(&functions, number), expected);
}

static void equal_name_file_and_line_are_one_inlined_function(
	void **state _unused_)
{
	/* Another unit has its own copies of the texts. */
	const char other_name[] = "f", other_file[] = "/src/a.h";
	uint32_t f = find("f", "/src/a.h", 3);

	assert_int_equal(find("f", "/src/a.h", 3), f);
	assert_int_equal(find(other_name, other_file, 3), f);
	assert_shown(f, "f");
	assert_string_equal(
		inlined_functions_marked(&functions, f), "f (inlined)");
}

static void inlined_functions_of_the_same_name_show_file_and_line(
	void **state _unused_)
{
	uint32_t first = find("f", "/src/a.c", 3), second, third;
	const char *before;

	assert_shown(first, "f");
	before = inlined_functions_marked(&functions, first);
	second = find("f", "/src/b.c", 3);
	third = find("f", "/src/b.c", 5);
	assert_int_not_equal(first, second);
	assert_int_not_equal(second, third);
	assert_shown(first, "f a.c:3");
	assert_shown(second, "f b.c:3");
	assert_shown(third, "f b.c:5");
	assert_string_equal(inlined_functions_marked(&functions, first),
		"f a.c:3 (inlined)");
	assert_string_equal(before, "f (inlined)");
	assert_string_equal(inlined_functions_name(&functions, first), "f");
}

static void equal_names_in_other_dsos_do_not_show_file_and_line(
	void **state _unused_)
{
	uint32_t first = find_in(1, "f", "/src/a.c", 3);
	uint32_t second = find_in(2, "f", "/src/b.c", 4);

	assert_int_not_equal(first, second);
	assert_shown(first, "f");
	assert_shown(second, "f");
}

static void different_paths_of_one_file_are_one_inlined_function(
	void **state _unused_)
{
	static const char *const same[] = { "/src/sub/../a.h", "/src/./a.h",
		"/src//a.h", "/src/x/y/../../a.h" };
	uint32_t f = find("f", "/src/a.h", 3);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		assert_int_equal(find("f", same[i], 3), f);
	assert_int_not_equal(find("f", "/a.h", 3), f);
	assert_int_not_equal(find("f", "/src/../../a.h", 3), f);
	assert_int_not_equal(find("f", "..", 3), f);
	assert_int_not_equal(find("f", "", 3), f);
}

static void inlined_functions_without_file_and_line_are_compared_by_name(
	void **state _unused_)
{
	uint32_t f = find("f", NULL, 0), g = find("g", NULL, 0);

	assert_int_not_equal(f, g);
	assert_int_equal(find("f", NULL, 0), f);
	assert_shown(f, "f");
	assert_int_not_equal(find("f", "/src/a.c", 3), f);
	assert_shown(f, "f");
}

static void lambdas_show_their_scope_file_and_line(void **state _unused_)
{
	uint32_t plain =
		find_lambda("operator()", "main::{lambda}::operator()");
	uint32_t other =
		find_lambda("operator()", "work::{lambda}::operator()");

	assert_shown(plain, "main::{lambda}::operator() a.cpp:3");
	assert_shown(other, "work::{lambda}::operator() a.cpp:3");
	assert_string_equal(
		inlined_functions_name(&functions, plain), "operator()");
	assert_string_equal(inlined_functions_qualified(&functions, plain),
		"main::{lambda}::operator()");
}

static uint32_t find_at_column(const char *name, uint32_t column)
{
	const struct line_frame frame = { .name = name,
		.declared = { .qualified = "f::{lambda}::operator()",
			.file = "/src/a.cpp",
			.line = 3,
			.column = column,
			.is_lambda = true } };

	return inlined_functions_find(&functions, &frame, 1);
}

static void lambdas_of_one_line_show_their_column(void **state _unused_)
{
	uint32_t first = find_at_column("operator()", 7), second;

	assert_shown(first, "f::{lambda}::operator() a.cpp:3");
	second = find_at_column("operator()", 19);
	assert_shown(first, "f::{lambda}::operator() a.cpp:3:7");
	assert_shown(second, "f::{lambda}::operator() a.cpp:3:19");
}

/* clang does not write columns. */
static void lambdas_of_one_line_without_columns_show_their_number(
	void **state _unused_)
{
	uint32_t first = find_at_column("f::$_0::operator()", 0);
	uint32_t second = find_at_column("f::$_1::operator()", 0);

	assert_shown(first, "f::$_0::operator() a.cpp:3");
	assert_shown(second, "f::$_1::operator() a.cpp:3");
}

static void lambdas_can_take_their_scope_from_the_linkage_name(
	void **state _unused_)
{
	assert_shown(find_lambda("main::$_2::operator()", NULL),
		"main::{lambda}::operator() a.cpp:3");
}

static void names_of_lambdas_are_shown_without_numbers_and_parameters(
	void **state _unused_)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{ "main::$_2::operator()", "main::{lambda}::operator()" },
		{ "f(int, char*)::{lambda(char)#2}::operator()",
			"f::{lambda}::operator()" },
		{ "main::$_0::operator()() const::{lambda(int)#1}::operator()",
			"main::{lambda}::operator()::{lambda}::operator()" },
		{ "(anonymous namespace)::T<void (int)>::g(int (*)(int)) "
		  "const::{lambda()#1}::operator()<int>",
			"(anonymous namespace)::T<void (int)>::g::{lambda}::"
			"operator()<int>" },
		{ "f({lambda()#1})::{lambda({lambda()#1})#2}::operator()",
			"f::{lambda}::operator()" },
		{ "f(int", "f" },
		{ "f::{lambda(", "f::{lambda}" },
		{ "", "" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *name =
			inlined_functions_lambda_name(cases[i].name);

		assert_string_equal(name, cases[i].expected);
	}
}

#define CASE_WITH(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE_WITH(equal_name_file_and_line_are_one_inlined_function),
		CASE_WITH(
			inlined_functions_of_the_same_name_show_file_and_line),
		CASE_WITH(equal_names_in_other_dsos_do_not_show_file_and_line),
		CASE_WITH(different_paths_of_one_file_are_one_inlined_function),
		CASE_WITH(
			inlined_functions_without_file_and_line_are_compared_by_name),
		CASE_WITH(lambdas_show_their_scope_file_and_line),
		CASE_WITH(lambdas_can_take_their_scope_from_the_linkage_name),
		CASE_WITH(lambdas_of_one_line_show_their_column),
		CASE_WITH(
			lambdas_of_one_line_without_columns_show_their_number),
		CASE_WITH(
			names_of_lambdas_are_shown_without_numbers_and_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
