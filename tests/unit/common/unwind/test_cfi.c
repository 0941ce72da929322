/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules that are compiled from call frame information. */
#include "config.h"

#include "common/unwind/cfi.h"

#include "common/unwind/cfi_private.h"
#include "tests/unit/make_cfi.h"
#include "tests/unit/testing.h"

#define ADDRESS UINT64_C(0x1000)

static const uint8_t arm_start[] = { 0x0c, 31, 0 };

static void assert_sp(struct cfi *cfi, uint64_t address, int64_t offset)
{
	uint32_t rule = cfi_rule(cfi, address);

	assert_int_equal(cfi_kind(rule), CFI_SP);
	assert_int_equal(cfi_x86_offset(rule), offset);
}

static void each_cfi_row_of_a_function_becomes_an_unwind_rule(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;
	uint32_t rule;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	/* push %rbp; mov %rsp, %rbp; ...; pop %rbp: CFA = rsp + 8 again */
	MADE_FDE(&made, 0x1000, 0x40, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6,
		0x60, 0x0c, 7, 8);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0xfff), CFI_NONE);
	assert_sp(cfi, 0x1000, 8);
	assert_sp(cfi, 0x1001, 16);
	assert_int_equal(cfi_x86_fp(cfi_rule(cfi, 0x1003)), 16);
	rule = cfi_rule(cfi, 0x1004);
	assert_int_equal(cfi_kind(rule), CFI_FP);
	assert_int_equal(cfi_x86_offset(rule), 16);
	/* The slot below sp was popped. */
	assert_sp(cfi, 0x103f, 8);
	assert_int_equal(cfi_x86_fp(cfi_rule(cfi, 0x103f)), 0);
	assert_int_equal(cfi_rule(cfi, 0x1040), CFI_NONE);
	assert_int_equal(cfi_rule(cfi, UINT64_MAX), CFI_NONE);
	cfi_destroy(cfi);
}

static void plt_outermost_and_unusual_cfa_rows_have_special_rules(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	/* Undefined return address. */
	MADE_FDE(&made, 0x1000, 0x20, 0x07, 16);
	/* .plt of linkers: sp + 16 from byte 11 of an entry on. */
	MADE_FDE(&made, 0x2000, 0x20, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a,
		0x3b, 0x2a, 0x33, 0x24, 0x22);
	/* CFA = *(rbp - 8), and rbp is saved where it points. */
	MADE_FDE(&made, 0x3000, 0x20, 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2,
		0x76, 0);
	/* CFA = r10. */
	MADE_FDE(&made, 0x4000, 0x20, 0x0c, 10, 0);
	/* CFA = rbx + 3: not a multiple of words. */
	MADE_FDE(&made, 0x5000, 0x20, 0x0c, 3, 3);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0x1010), CFI_ROOT);
	assert_int_equal(cfi_rule(cfi, 0x2010), CFI_PLT | 11 << CFI_PLT_SHIFT);
	assert_int_equal(cfi_kind(cfi_rule(cfi, 0x3010)), CFI_DEREF_FP);
	assert_int_equal(cfi_x86_offset(cfi_rule(cfi, 0x3010)), -8);
	assert_int_equal(cfi_kind(cfi_rule(cfi, 0x4010)), CFI_REGISTER);
	assert_int_equal(cfi_rule(cfi, 0x4010) >> CFI_REGISTER_SHIFT & 15, 10);
	assert_int_equal(cfi_rule(cfi, 0x5010), CFI_COMPLEX);
	cfi_destroy(cfi);
}

static void gaps_between_fdes_have_no_rule_and_overlapping_fdes_are_cut(
	void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	/* Not sorted; the second FDE is inside the first. */
	MADE_FDE(&made, 0x3000, 0x100, 0x0e, 24);
	MADE_FDE(&made, 0x1000, 0x100, 0x0e, 32);
	MADE_FDE(&made, 0x1040, 0x10, 0x0e, 40);
	MADE_FDE(&made, 0x1108, 0x10, 0x0e, 48);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_sp(cfi, 0x1000, 32);
	assert_sp(cfi, 0x1040, 40);
	assert_int_equal(cfi_rule(cfi, 0x1050), CFI_NONE);
	assert_sp(cfi, 0x1108, 48);
	assert_int_equal(cfi_rule(cfi, 0x1118), CFI_NONE);
	assert_sp(cfi, 0x30ff, 24);
	assert_int_equal(cfi_facts(cfi).n_fdes, 4);
	cfi_destroy(cfi);
}

/* As musl's entry point, without CFI behind a function with CFI. */
static void an_entry_point_without_cfi_gets_the_root_rule(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi_source source = {
		.arch = UNWIND_X86_64, .entry = 0x1020, .end = MADE_CODE_END
	};
	struct cfi_table *table;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x20, 0x0e, 16);
	MADE_FDE(&made, 0x2000, 0x20, 0x0e, 16);
	source.eh_frame = (struct cfi_section){
		.at = made.bytes, .size = made.n, .address = ADDRESS
	};
	cfi_source_sort(&source);
	table = cfi_compile(&source);
	assert_int_equal(cfi_kind(cfi_table_rule(table, 0x101f)), CFI_SP);
	assert_int_equal(cfi_table_rule(table, 0x1020), CFI_ROOT);
	assert_int_equal(cfi_table_rule(table, 0x1fff), CFI_NONE);
	free(table);
	cfi_source_deinit(&source);
}

/* As in programs of Free Pascal, which have no CFI. */
static void functions_behind_an_entry_point_without_cfi_get_no_root_rule(
	void **state)
{
	struct cfi_source source = { .arch = UNWIND_X86_64,
		.entry = 0x1000,
		.start = 0x1000,
		.end = MADE_CODE_END };
	struct cfi_table *table;

	(void)state;
	cfi_source_sort(&source);
	table = cfi_compile(&source);
	assert_int_equal(cfi_table_rule(table, 0x1000), CFI_ROOT);
	assert_int_equal(cfi_table_rule(table, 0x107f), CFI_ROOT);
	assert_int_equal(cfi_table_rule(table, 0x1080), CFI_NONE);
	free(table);
	cfi_source_deinit(&source);
}

static void small_gaps_between_fdes_are_marked_as_padding(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x18, 0x0e, 16);
	MADE_FDE(&made, 0x1020, 0x10, 0x0e, 16);
	MADE_FDE(&made, 0x1040, 0x10, 0x0e, 16);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0x1018), CFI_PADDING);
	assert_sp(cfi, 0x1020, 16);
	assert_int_equal(cfi_rule(cfi, 0x1030), CFI_NONE);
	cfi_destroy(cfi);
}

static void cfi_ends_at_is_true_only_where_a_function_ends(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	/*
	 * The second FDE, a .cold part, begins with the rule of the first one's
	 * end.
	 */
	MADE_FDE(&made, 0x1000, 0x18, 0x44, 0x0e, 16);
	MADE_FDE(&made, 0x1018, 0x10, 0x0e, 16);
	MADE_FDE(&made, 0x1030, 0x10, 0x0e, 16);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_true(cfi_ends_at(cfi, 0x1018));
	assert_true(cfi_ends_at(cfi, 0x1028));
	assert_true(cfi_ends_at(cfi, 0x1040));
	/* A changed or unchanged rule is not an end. */
	assert_false(cfi_ends_at(cfi, 0x1004));
	assert_false(cfi_ends_at(cfi, 0x1010));
	assert_false(cfi_ends_at(cfi, 0x1017));
	assert_false(cfi_ends_at(cfi, 0x1019));
	assert_false(cfi_ends_at(cfi, UINT64_MAX));
	cfi_destroy(cfi);
}

static void the_return_address_of_clone_has_its_own_rule(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	/* A function at its call; 8 bytes; code without a caller. */
	MADE_FDE(&made, 0x1000, 0x18, 0x00);
	MADE_FDE(&made, 0x1020, 0x10, 0x07, 16);
	/*
	 * Other cases: too far away; with a frame; before a function with a
	 * caller.
	 */
	MADE_FDE(&made, 0x2000, 0x10, 0x00);
	MADE_FDE(&made, 0x2020, 0x10, 0x07, 16);
	MADE_FDE(&made, 0x3000, 0x18, 0x0e, 16);
	MADE_FDE(&made, 0x3020, 0x10, 0x07, 16);
	MADE_FDE(&made, 0x4000, 0x18, 0x00);
	MADE_FDE(&made, 0x4020, 0x10, 0x00);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(cfi, 0x1018), CFI_CLONE);
	assert_int_equal(cfi_rule(cfi, 0x101f), CFI_CLONE);
	assert_int_equal(cfi_rule(cfi, 0x1020), CFI_ROOT);
	assert_int_equal(cfi_rule(cfi, 0x2018), CFI_NONE);
	assert_int_equal(cfi_rule(cfi, 0x3018), CFI_PADDING);
	assert_int_equal(cfi_rule(cfi, 0x4018), CFI_PADDING);
	cfi_destroy(cfi);
}

static void a_damaged_cfi_program_ends_the_rules_of_its_fde(void **state)
{
	static const uint8_t programs[][6] = {
		{ 0x41, 0x3f },	      /* no such operation */
		{ 0x41, 0x0b },	      /* no row was remembered */
		{ 0x41, 0x0f, 0x7f }, /* an expression longer than the rest */
		{ 0x41, 0x0f, 1, 0x30, 0x0e, 8 }, /* offset of an expression */
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		struct made_cfi made = { .n = 0 };
		struct cfi *cfi;

		made_cie(&made, "zR", 16, made_x86_start,
			sizeof(made_x86_start));
		made_fde(&made, 0x1000, 0x20, programs[i], sizeof(programs[i]));
		cfi = made_cfi(&made, UNWIND_X86_64);
		assert_sp(cfi, 0x1000, 8);
		assert_int_equal(cfi_rule(cfi, 0x1010), CFI_NONE);
		cfi_destroy(cfi);
	}
}

static void damaged_fdes_are_skipped_and_truncated_cfi_is_read_safely(
	void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;
	size_t i, n;

	(void)state;
	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x20, 0x0e, 16);
	MADE_FDE(&made, UINT64_MAX - 8, 0x20, 0x0e, 16);
	MADE_FDE(&made, 0x900000, 0x20, 0x0e, 16);
	cfi = made_cfi(&made, UNWIND_X86_64);
	assert_int_equal(cfi_facts(cfi).n_fdes, 1);
	cfi_destroy(cfi);
	/* Truncated anywhere, it is read up to the end. */
	n = made.n;
	for (i = 0; i < n; i++) {
		made.n = i;
		cfi_destroy(made_cfi(&made, UNWIND_X86_64));
	}
}

static void cfi_of_aarch64_becomes_unwind_rules(void **state)
{
	struct made_cfi made = { .n = 0 };
	struct cfi *cfi;
	uint32_t rule;

	(void)state;
	made_cie(&made, "zR", 30, arm_start, sizeof(arm_start));
	/* stp x29, x30, [sp, -48]!; mov x29, sp */
	MADE_FDE(&made, 0x1000, 0x40, 0x44, 0x0e, 48, 0x9d, 6, 0x9e, 5, 0x44,
		0x0d, 29, 0x60, 0x0c, 31, 0, 0xdd, 0xde);
	cfi = made_cfi(&made, UNWIND_AARCH64);
	assert_int_equal(cfi_rule(cfi, 0x1000),
		CFI_SP | (uint32_t)CFI_RA_IN_LR << CFI_ARM_RA_SHIFT);
	rule = cfi_rule(cfi, 0x1004);
	assert_int_equal(cfi_kind(rule), CFI_SP);
	assert_int_equal(cfi_arm_offset(rule), 48);
	assert_int_equal(cfi_arm_fp(rule), 48);
	assert_int_equal(rule >> CFI_ARM_RA_SHIFT, CFI_RA_ABOVE_FP);
	assert_int_equal(cfi_kind(cfi_rule(cfi, 0x1008)), CFI_FP);
	assert_int_equal(cfi_rule(cfi, 0x103f), CFI_SP);
	cfi_destroy(cfi);
}

static void cfi_of_i386_is_interpreted_at_each_lookup(void **state)
{
	static const uint8_t start[] = { 0x0c, 4, 4, 0x88, 1 };
	const struct cfi_section *expressions;
	struct made_cfi made = { .n = 0 };
	struct cfi_row row;
	struct cfi *cfi;
	size_t at;

	(void)state;
	made_cie(&made, "zR", 8, start, sizeof(start));
	at = made_cfi_begin(&made);
	made_cfi_put(&made, (uint32_t[]){ (uint32_t)made.n, 0x1000, 0x20 }, 12);
	made_cfi_put(&made, "\0\x0e\x0c", 3);
	made_cfi_end(&made, at);
	cfi = made_cfi(&made, UNWIND_I386);
	assert_non_null(cfi);
	assert_int_equal(cfi_rule(cfi, 0x1010), CFI_COMPLEX);
	assert_true(cfi_row(cfi, 0x1010, &row, &expressions));
	assert_int_equal(row.cfa.offset, 12);
	assert_false(cfi_row(cfi, 0x1020, &row, &expressions));
	cfi_destroy(cfi);
}

static void a_damaged_rule_table_is_refused_or_safe_to_look_up(void **state)
{
	struct cfi_builder *builder = cfi_builder_create(ADDRESS);
	struct cfi_table *table, *copy;
	uint32_t *words;
	size_t size, i;

	(void)state;
	cfi_builder_add(builder, ADDRESS, CFI_SP | 1 << 3);
	cfi_builder_add(builder, ADDRESS + 5000, CFI_NONE);
	table = cfi_builder_finish(builder, 1);
	size = cfi_table_size(table);
	assert_true(cfi_table_is_sound(table, size));
	assert_false(cfi_table_is_sound(table, size - 1));
	/* A table with a changed word is refused, or lookups stay inside. */
	for (i = 0; i < size / 4; i++) {
		copy = (struct cfi_table *)exact_copy(table, size);
		words = (uint32_t *)copy;
		words[i] ^= 0x80000001;
		if (cfi_table_is_sound(copy, size)) {
			cfi_table_rule(copy, ADDRESS);
			cfi_table_rule(copy, ADDRESS + 4999);
			cfi_table_rule(copy, ADDRESS + 5000);
		}
		free(copy);
	}
	free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_cfi_row_of_a_function_becomes_an_unwind_rule),
		cmocka_unit_test(
			plt_outermost_and_unusual_cfa_rows_have_special_rules),
		cmocka_unit_test(
			gaps_between_fdes_have_no_rule_and_overlapping_fdes_are_cut),
		cmocka_unit_test(an_entry_point_without_cfi_gets_the_root_rule),
		cmocka_unit_test(
			functions_behind_an_entry_point_without_cfi_get_no_root_rule),
		cmocka_unit_test(small_gaps_between_fdes_are_marked_as_padding),
		cmocka_unit_test(
			cfi_ends_at_is_true_only_where_a_function_ends),
		cmocka_unit_test(the_return_address_of_clone_has_its_own_rule),
		cmocka_unit_test(
			a_damaged_cfi_program_ends_the_rules_of_its_fde),
		cmocka_unit_test(
			damaged_fdes_are_skipped_and_truncated_cfi_is_read_safely),
		cmocka_unit_test(cfi_of_aarch64_becomes_unwind_rules),
		cmocka_unit_test(cfi_of_i386_is_interpreted_at_each_lookup),
		cmocka_unit_test(
			a_damaged_rule_table_is_refused_or_safe_to_look_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
