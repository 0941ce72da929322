/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/interface/runtime_functions.h"

#include "tests/unit/testing.h"

static const struct runtime_function hot = { 1, "A.hot", "A.java", 10 };

static void equal_functions_have_one_number(void **state)
{
	struct runtime_functions *functions = runtime_functions_create();
	struct runtime_function other = hot;
	uint32_t number = runtime_functions_add(functions, &hot);

	(void)state;
	assert_int_not_equal(number, 0);
	assert_int_equal(runtime_functions_add(functions, &hot), number);
	other.first_line = 11;
	assert_int_not_equal(runtime_functions_add(functions, &other), number);
	other = hot;
	other.file = "B.java";
	assert_int_not_equal(runtime_functions_add(functions, &other), number);
	other = hot;
	other.runtime = 0;
	assert_int_not_equal(runtime_functions_add(functions, &other), number);
	runtime_functions_destroy(functions);
}

/* Asserts that ADDRESS and the byte before stand for LINE of "A.hot". */
static void assert_line(
	struct runtime_functions *functions, uint64_t address, uint32_t line)
{
	struct runtime_function found;
	uint32_t found_line;
	unsigned back;

	assert_true(runtime_has_address(address));
	for (back = 0; back < 2; back++) {
		assert_true(runtime_functions_find(functions, 1,
			address - RUNTIME_BASE(1) - back, &found, &found_line));
		assert_string_equal(found.name, "A.hot");
		assert_string_equal(found.file, "A.java");
		assert_int_equal(found_line, line);
	}
}

static void an_address_encodes_a_function_and_a_line(void **state)
{
	static const uint32_t lines[] = { 10, 11, 500, 2055 };
	static const uint32_t unknown[] = { 0, 9, 2057, 100000, UINT32_MAX };
	struct runtime_functions *functions = runtime_functions_create();
	uint32_t number = runtime_functions_add(functions, &hot);
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		assert_line(functions,
			runtime_function_address(
				functions, 1, number, lines[i]),
			lines[i]);
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_line(functions,
			runtime_function_address(
				functions, 1, number, unknown[i]),
			0);
	runtime_functions_destroy(functions);
}

static void addresses_that_encode_no_function_are_not_found(void **state)
{
	struct runtime_functions *functions = runtime_functions_create();
	uint64_t place = runtime_functions_add(functions, &hot)
		<< RUNTIME_FUNCTION_SHIFT;
	struct runtime_function found;
	uint32_t line;

	(void)state;
	assert_false(runtime_functions_find(
		functions, 1, place + RUNTIME_FUNCTION_SIZE, &found, &line));
	assert_false(
		runtime_functions_find(functions, 0, place, &found, &line));
	assert_true(runtime_functions_find(functions, 0, 0, &found, &line));
	assert_false(runtime_has_address(UINT64_C(0x7fffffffffff)));
	assert_false(runtime_has_address(UINT64_C(0xffffffff81000000)));
	runtime_functions_destroy(functions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_functions_have_one_number),
		cmocka_unit_test(an_address_encodes_a_function_and_a_line),
		cmocka_unit_test(
			addresses_that_encode_no_function_are_not_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
