/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables as compilers write them, and damaged ones. */
#include "config.h"

#include "report/lines/line_program.h"

#include <dwarf.h>

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

/* Special opcodes: 14 lines from -5 on; the first one is opcode 13. */
#define LINE_BASE (-5)
#define LINE_RANGE 14
#define N_OPCODES 13

static struct strbuf table;
static struct line_program program;

static int begin(void **state _unused_)
{
	static const uint8_t head[] = { 1, 1, 1, (uint8_t)LINE_BASE, LINE_RANGE,
		N_OPCODES, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };

	strbuf_put_u32(&table, 0); /* size */
	strbuf_put_u16(&table, 4);
	strbuf_put_u32(&table, sizeof(head) + 2);
	strbuf_put(&table, head, sizeof(head));
	strbuf_put_u16(&table, 0); /* no folders, no files */
	return 0;
}

static int end(void **state _unused_)
{
	strbuf_free(&table);
	line_program_deinit(&program);
	return 0;
}

static void put(uint8_t opcode)
{
	strbuf_put_u8(&table, opcode);
}

static void put_address(uint64_t address)
{
	put(0);
	put(1 + sizeof(address));
	put(DW_LNE_set_address);
	strbuf_put_u64(&table, address);
}

static void put_special(int line, unsigned address)
{
	put((uint8_t)(N_OPCODES + (line - LINE_BASE) +
		LINE_RANGE * (int)address));
}

static void put_end(uint8_t advance)
{
	put(DW_LNS_advance_pc);
	put(advance);
	put(0);
	put(1);
	put(DW_LNE_end_sequence);
}

static void read_table(void)
{
	uint32_t size = (uint32_t)table.n - 4;

	memcpy(table.at, &size, sizeof(size));
	line_program_read(bytes_of(table.at, table.n, false), &program);
}

/* "10-18: 10 1:3, 14 1:5" */
static void assert_sequence(size_t i, const char *expected)
{
	const struct line_sequence *sequence = &program.sequences.at[i];
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t j;

	assert_true(i < program.sequences.n);
	strbuf_printf(&text, "%x-%x:", (unsigned)sequence->start,
		(unsigned)sequence->end);
	for (j = 0; j < sequence->n; j++) {
		const struct line_program_row *row =
			&program.rows.at[sequence->first + j];

		strbuf_printf(&text, "%s %x %u:%u", j ? "," : "",
			(unsigned)row->address, (unsigned)row->file, row->line);
	}
	assert_string_equal(text.at, expected);
}

static void rows_of_several_sequences_are_kept_separate(void **state _unused_)
{
	put_address(0x1000);
	put_special(2, 0);
	put_special(-1, 4);
	put_end(6);
	put_address(0);
	put(DW_LNS_set_file);
	put(2);
	put_special(8, 0);
	put_special(0, 7);
	put_end(1);
	read_table();
	assert_int_equal(program.sequences.n, 2);
	assert_sequence(0, "1000-100a: 1000 1:3, 1004 1:2");
	assert_sequence(1, "0-8: 0 2:9, 7 2:9");
}

static void every_opcode_changes_the_row_as_dwarf_defines(void **state _unused_)
{
	put_address(0x20);
	put(DW_LNS_advance_line);
	put(0xe4);
	put(0x00); /* 100 */
	put(DW_LNS_copy);
	put(DW_LNS_const_add_pc); /* (255 - 13) / 14 */
	put(DW_LNS_set_column);
	put(7);
	put(DW_LNS_negate_stmt);
	put(DW_LNS_set_prologue_end);
	put(DW_LNS_set_isa);
	put(3);
	put(DW_LNS_advance_line);
	put(0x7f); /* -1 */
	put(DW_LNS_copy);
	put(DW_LNS_fixed_advance_pc);
	strbuf_put_u16(&table, 0x100);
	put(0); /* unknown opcode */
	put(3);
	put(0x99);
	put(0xff);
	put(0xff);
	put_special(1, 0);
	put_end(0);
	read_table();
	assert_int_equal(program.sequences.n, 1);
	assert_sequence(0, "20-131: 20 1:101, 31 1:100, 131 1:101");
}

/* The bytes before the first address and the last bytes only look like one. */
static void the_starts_of_sequences_are_found_without_running_the_table(
	void **state _unused_)
{
	struct bytes b;
	uint64_t address;

	put(0);
	put(1 + sizeof(address));
	put(DW_LNE_set_address);
	put_address(0x1000);
	put_special(2, 0);
	put_end(6);
	put_address(0x2000);
	put_special(8, 0);
	put_end(1);
	put(0);
	put(1 + sizeof(address));
	put(DW_LNE_set_address);
	b = bytes_of(table.at, table.n, false);
	assert_true(line_program_next_start(&b, 8, &address));
	assert_true(line_program_next_start(&b, 8, &address));
	assert_int_equal(address, 0x1000);
	assert_true(line_program_next_start(&b, 8, &address));
	assert_int_equal(address, 0x2000);
	assert_true(line_program_next_start(&b, 8, &address));
	assert_int_equal(address, 0);
	assert_false(line_program_next_start(&b, 8, &address));
	b = bytes_of(table.at, table.n, false);
	assert_false(line_program_next_start(&b, 4, &address));
}

static void rows_before_damage_in_a_line_table_are_kept(void **state _unused_)
{
	size_t n;

	put_address(0x1000);
	put_special(2, 0);
	put_end(6);
	n = table.n;
	put_address(0x2000);
	put_special(2, 0);
	read_table();
	assert_int_equal(program.sequences.n, 1);
	assert_sequence(0, "1000-1006: 1000 1:3");
	table.n = n;
	put(0);
	put(200);
	read_table();
	assert_int_equal(program.sequences.n, 2);
}

static void a_truncated_line_table_adds_no_rows(void **state _unused_)
{
	size_t n;

	put_address(0x1000);
	put_special(2, 0);
	put_end(6);
	read_table();
	assert_int_equal(program.sequences.n, 1);
	for (n = 0; n < table.n; n++)
		line_program_read(bytes_of(table.at, n, false), &program);
	assert_int_equal(program.sequences.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			rows_of_several_sequences_are_kept_separate, begin,
			end),
		cmocka_unit_test_setup_teardown(
			every_opcode_changes_the_row_as_dwarf_defines, begin,
			end),
		cmocka_unit_test_setup_teardown(
			the_starts_of_sequences_are_found_without_running_the_table,
			begin, end),
		cmocka_unit_test_setup_teardown(
			rows_before_damage_in_a_line_table_are_kept, begin,
			end),
		cmocka_unit_test_setup_teardown(
			a_truncated_line_table_adds_no_rows, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
