/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/strbuf.h"
#include "record/runtimes/v8/v8_baseline.h"
#include "record/runtimes/v8/v8_builtin.h"
#include "record/runtimes/v8/v8_heap.h"
#include "record/runtimes/v8/v8_positions.h"
#include "record/runtimes/v8/v8_scripts.h"

#include "tests/unit/testing.h"

/* Code offsets 0, 4 (an expression) and 70 have the positions 10, 6 and 200. */
static const uint8_t positions[] = {
	2, 20,		 /* 0 - (-1) = 1, 10 */
	9, 7,		 /* -(4 + 1) = -5, -4 */
	0x84, 1, 0x84, 3 /* 66, 194 */
};

static uint64_t position_value(uint64_t code_offset)
{
	struct v8_position position =
		v8_positions_find(positions, sizeof(positions), code_offset);

	return (uint64_t)position.inlining << 31 | position.offset << 1;
}

static void a_code_offset_has_its_source_position(void **state)
{
	(void)state;
	assert_int_equal(position_value(0), 10);
	assert_int_equal(position_value(3), 10);
	assert_int_equal(position_value(4), 6);
	assert_int_equal(position_value(69), 6);
	assert_int_equal(position_value(70), 200);
	assert_int_equal(position_value(UINT64_MAX - 1), 200);
}

static void damaged_position_tables_have_no_source_position(void **state)
{
	static const uint8_t endless[] = { 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255 };
	size_t n;

	(void)state;
	assert_int_equal(v8_positions_find(positions, 0, 5).offset, 0);
	for (n = 1; n < sizeof(positions); n += 2)
		assert_int_equal(
			v8_positions_find(positions, n, 1000).offset, 0);
	assert_int_equal(
		v8_positions_find(endless, sizeof(endless), 5).offset, 0);
}

static void a_source_position_contains_its_inlining_number(void **state)
{
	struct v8_position position =
		v8_position_of(UINT64_C(3) << 31 | UINT64_C(1000) << 1);

	(void)state;
	assert_int_equal(position.offset, 1000);
	assert_int_equal(position.inlining, 3);
	assert_int_equal(v8_position_of(1001).offset, 0);
}

/*
 * Bytecode 5 has one byte. Bytecode 6 has two bytes, or three after the prefix
 * Wide (0). The instructions of the prologue end at the offset 16, and those of
 * the three bytecodes at 20, 148 and 150.
 */
static const uint8_t bytecode[] = { 5, 0, 6, 1, 1, 6, 1 };
static const uint8_t offsets[] = { 16, 4, 0x80, 1, 2 };

static uint32_t find_bytecode_at(uint64_t offset, size_t n)
{
	struct v8_bytecode_sizes sizes = { .n = 7 };
	struct bytes table = bytes_of(offsets, sizeof(offsets), false);
	struct bytes codes = bytes_of(bytecode, n, false);

	sizes.size[0][5] = 1;
	sizes.size[0][6] = 2;
	sizes.size[1][6] = 3;
	return v8_baseline_find(&sizes, &table, &codes, offset);
}

static void a_pc_in_baseline_code_has_its_bytecode_offset(void **state)
{
	(void)state;
	assert_int_equal(find_bytecode_at(0, sizeof(bytecode)), UINT32_MAX);
	assert_int_equal(find_bytecode_at(15, sizeof(bytecode)), UINT32_MAX);
	assert_int_equal(find_bytecode_at(16, sizeof(bytecode)), 0);
	assert_int_equal(find_bytecode_at(20, sizeof(bytecode)), 1);
	assert_int_equal(find_bytecode_at(147, sizeof(bytecode)), 1);
	assert_int_equal(find_bytecode_at(148, sizeof(bytecode)), 5);
}

static void damaged_baseline_tables_have_no_bytecode_offset(void **state)
{
	(void)state;
	assert_int_equal(find_bytecode_at(150, sizeof(bytecode)), UINT32_MAX);
	assert_int_equal(find_bytecode_at(148, 3), UINT32_MAX);
	assert_int_equal(find_bytecode_at(16, 0), UINT32_MAX);
}

static void latin1_and_utf16_strings_become_utf8(void **state)
{
	static const uint8_t latin1[] = { 'a', 0xe9, 0 };
	static const uint16_t utf16[] = { 'b', 0x43a, 0x20ac, 0xd83d, 0xde00,
		0xd800, 'c', 0xdc00 };
	_cleanup_strbuf_ struct strbuf out = { 0 };

	(void)state;
	v8_put_latin1(&out, latin1, ARRAY_SIZE(latin1));
	assert_string_equal(out.at, "a\xc3\xa9\xef\xbf\xbd");
	strbuf_clear(&out);
	v8_put_utf16(&out, utf16, ARRAY_SIZE(utf16));
	assert_string_equal(out.at,
		"b\xd0\xba\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
		"c\xef\xbf\xbd");
}

static void file_urls_of_scripts_become_paths(void **state)
{
	static const char *const cases[][2] = {
		{ "/a/b.js", "/a/b.js" },
		{ "node:internal/x", "node:internal/x" },
		{ "file:///a%20b/%C3%A9.mjs", "/a b/\xc3\xa9.mjs" },
		{ "file:///a%zz%2", "/a%zz%2" },
		{ "file:///a%00b", "/a%00b" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf out = { 0 };

		v8_put_script_name(&out, cases[i][0]);
		assert_string_equal(out.at, cases[i][1]);
	}
}

static void the_kind_of_a_builtin_is_found_by_its_name(void **state)
{
	(void)state;
	assert_int_equal(v8_builtin_kind_of("ArrayMap"), V8_BUILTIN);
	assert_int_equal(v8_builtin_kind_of("JSEntry"), V8_BUILTIN_ENTRY);
	assert_int_equal(v8_builtin_kind_of("AddHandler"), V8_BUILTIN_HANDLER);
	assert_int_equal(v8_builtin_kind_of("InterpreterEntryTrampoline"),
		V8_BUILTIN_INTERPRETER);
	assert_int_equal(v8_builtin_kind_of("BaselineOutOfLinePrologue"),
		V8_BUILTIN_PROLOGUE);
	assert_int_equal(
		v8_builtin_kind_of("Call_ReceiverIsAny"), V8_BUILTIN_SILENT);
}

static void frames_that_a_builtin_sets_up_are_found_in_its_code(void **state)
{
	/* nop; push rbp; mov rbp,rsp; push 0x22; sub rsp,0x38; ret;
	 * push rbp; mov rbp,rsp; push rsi; push rdi; ret */
	static const uint8_t code[] = { 0x90, 0x55, 0x48, 0x89, 0xe5, 0x6a,
		0x22, 0x48, 0x83, 0xec, 0x38, 0xc3, 0x55, 0x48, 0x8b, 0xec,
		0x56, 0x57, 0xc3, 0xcc, 0xcc, 0xcc };
	struct v8_builtin builtin = { 0 };

	(void)state;
	v8_builtin_find_sites(&builtin, code, sizeof(code));
	assert_int_equal(builtin.n_sites, 2);
	assert_int_equal(builtin.sites[0].at, 1);
	assert_int_equal(builtin.sites[0].size, 0x40);
	assert_int_equal(builtin.sites[0].marker, 0x22);
	assert_int_equal(builtin.sites[1].at, 12);
	assert_int_equal(builtin.sites[1].size, 16);
	assert_int_equal(builtin.sites[1].marker, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_code_offset_has_its_source_position),
		cmocka_unit_test(
			damaged_position_tables_have_no_source_position),
		cmocka_unit_test(
			a_source_position_contains_its_inlining_number),
		cmocka_unit_test(a_pc_in_baseline_code_has_its_bytecode_offset),
		cmocka_unit_test(
			damaged_baseline_tables_have_no_bytecode_offset),
		cmocka_unit_test(latin1_and_utf16_strings_become_utf8),
		cmocka_unit_test(file_urls_of_scripts_become_paths),
		cmocka_unit_test(the_kind_of_a_builtin_is_found_by_its_name),
		cmocka_unit_test(
			frames_that_a_builtin_sets_up_are_found_in_its_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
