/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Subsets of rules: written, read, and used for lookups. */
#include "config.h"

#include "common/unwind/cfi_subset.h"

#include "common/unwind/cfi.h"
#include "common/util/alloc.h"
#include "tests/unit/make_cfi.h"
#include "tests/unit/testing.h"

/*
 * Rules with a frame pointer, with gaps, and with a row that needs more than 32
 * bits.
 */
static struct cfi *make_rules(void)
{
	struct made_cfi made = { .n = 0 };

	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x40, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6,
		0x60, 0x0c, 7, 8);
	MADE_FDE(&made, 0x1048, 0x20, 0x0e, 32);
	/* The CFA is *(rbx + 8); rbx is saved at CFA - 16. */
	MADE_FDE(&made, 0x5000, 0x20, 0x0f, 3, 0x73, 8, 0x06, 0x83, 2);
	/* Undefined return address, far away. */
	MADE_FDE(&made, 0x700000, 0x20, 0x07, 16);
	return made_cfi(&made, UNWIND_X86_64);
}

/* Writes the subset of CFI and reads it back. */
static struct cfi *keep(const struct cfi *cfi, struct strbuf *bytes)
{
	struct cfi_subset subset;
	struct bytes b;
	struct cfi *kept;
	uint64_t room;

	cfi_lookups_subset(cfi, &subset);
	cfi_subset_write(&subset, bytes);
	cfi_subset_deinit(&subset);
	b = bytes_of(bytes->at, bytes->n, false);
	room = cfi_subset_room(b);
	assert_true(cfi_subset_read(&b, &subset));
	assert_int_equal(bytes_left(&b), 0);
	assert_int_equal(room,
		subset.rules.n * sizeof(*subset.rules.at) +
			subset.rows.n * sizeof(*subset.rows.at) +
			subset.expressions.n);
	assert_in_range(room, 0, cfi_subset_cost(&subset));
	kept = cfi_create_from_subset(&subset);
	assert_null(subset.rows.at);
	return kept;
}

static void rules_that_were_looked_up_are_in_the_subset(void **state _unused_)
{
	static const uint64_t asked[] = { 0x1000, 0x1003, 0x1030, 0x1044,
		0x5010, 0x700010 };
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct cfi *cfi = make_rules(), *kept;
	size_t i;

	cfi_lookups_start(cfi);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		cfi_rule(cfi, asked[i]);
	kept = keep(cfi, &bytes);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		assert_int_equal(
			cfi_rule(kept, asked[i]), cfi_rule(cfi, asked[i]));
	assert_int_equal(cfi_rule(kept, 0x1044), CFI_PADDING);
	assert_int_equal(cfi_rule(kept, 0x5010), CFI_COMPLEX);
	assert_int_equal(cfi_rule(kept, 0x700010), CFI_ROOT);
	/* Up to the end of the row. */
	assert_int_equal(cfi_rule(kept, 0x103f), cfi_rule(cfi, 0x103f));
	assert_int_equal(cfi_rule(kept, 0x1010), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0x1048), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0x70001f), CFI_ROOT);
	assert_int_equal(cfi_rule(kept, 0x700020), CFI_NONE);
	cfi_destroy(kept);
	cfi_destroy(cfi);
}

static void equal_neighbours_are_one_rule(void **state _unused_)
{
	struct cfi_subset subset = { 0 };

	cfi_subset_add_rule(&subset, 0x10, 0x20, 9);
	cfi_subset_add_rule(&subset, 0x20, 0x30, 9);
	cfi_subset_add_rule(&subset, 0x30, 0x40, 10);
	cfi_subset_add_rule(&subset, 0x50, 0x60, 10);
	assert_int_equal(subset.rules.n, 5);
	assert_int_equal(subset.rules.at[1].start, 0x30);
	assert_int_equal(subset.rules.at[1].rule, 10);
	assert_int_equal(subset.rules.at[2].start, 0x40);
	assert_int_equal(subset.rules.at[2].rule, CFI_NONE);
	assert_int_equal(subset.rules.at[3].start, 0x50);
	assert_int_equal(subset.rules.at[4].rule, CFI_NONE);
	cfi_subset_deinit(&subset);
}

static void complex_rows_that_were_looked_up_are_in_the_subset(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct cfi *cfi = make_rules(), *kept;
	const struct cfi_section *there, *here;
	struct cfi_row row, again;

	cfi_lookups_start(cfi);
	cfi_rule(cfi, 0x5010);
	assert_true(cfi_row(cfi, 0x5010, &row, &there));
	assert_true(cfi_row(cfi, 0x1010, &again, &there));
	assert_true(cfi_row(cfi, 0x5011, &row, &there));
	kept = keep(cfi, &bytes);
	assert_true(cfi_row(kept, 0x501f, &again, &here));
	assert_int_equal(again.cfa.where, CFI_IS_RESULT);
	assert_int_equal(again.cfa.n, row.cfa.n);
	assert_memory_equal(here->at + again.cfa.offset,
		there->at + row.cfa.offset, row.cfa.n);
	assert_int_equal(again.at[3].where, CFI_AT_CFA);
	assert_int_equal(again.at[3].offset, -16);
	assert_int_equal(again.at[12].where, CFI_UNSPECIFIED);
	assert_true(cfi_row(kept, 0x1010, &again, &here));
	assert_false(cfi_row(kept, 0x1000, &again, &here));
	assert_false(cfi_row(kept, 0x5020, &again, &here));
	cfi_destroy(kept);
	cfi_destroy(cfi);
}

/* Each row has the same expression of a megabyte. */
static void expressions_copied_into_a_subset_have_a_size_limit(
	void **state _unused_)
{
	_cleanup_free_ uint8_t *expression = xcalloc(1, MIB(1));
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const struct cfi_section section = { .at = expression, .size = MIB(1) };
	struct cfi_row row = { .cfa = { .where = CFI_IS_RESULT, .n = MIB(1) } };
	const size_t fit = CFI_SUBSET_EXPRESSIONS_MAX / MIB(1);
	struct cfi_subset subset = { 0 };
	struct bytes b;

	for (row.start = 0; row.start < 2 * fit; row.start++) {
		row.end = row.start + 1;
		cfi_subset_add_row(&subset, &row, &section);
	}
	assert_int_equal(subset.rows.n, fit);
	row.end = row.start + 1;
	row.cfa.where = CFI_IN;
	row.cfa.n = 7;
	cfi_subset_add_row(&subset, &row, &section);
	assert_int_equal(subset.rows.n, fit + 1);
	cfi_subset_write(&subset, &bytes);
	cfi_subset_deinit(&subset);
	b = bytes_of(bytes.at, bytes.n, false);
	assert_true(cfi_subset_read(&b, &subset));
	assert_int_equal(subset.rows.n, fit + 1);
	cfi_subset_deinit(&subset);
}

static void a_subset_without_lookups_is_empty(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const struct cfi_section *expressions;
	struct cfi *cfi = make_rules(), *kept;
	struct cfi_row row;

	cfi_rule(cfi, 0x1000);
	cfi_lookups_start(cfi);
	kept = keep(cfi, &bytes);
	assert_int_equal(cfi_rule(kept, 0x1000), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0), CFI_NONE);
	assert_int_equal(cfi_rule(kept, UINT64_MAX), CFI_NONE);
	assert_false(cfi_row(kept, 0x1000, &row, &expressions));
	cfi_destroy(kept);
	cfi_destroy(cfi);
}

static void lookups_in_a_subset_are_recorded_for_the_next_subset(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf first = { 0 }, second = { 0 };
	const struct cfi_section *expressions;
	struct cfi *cfi = make_rules(), *kept;
	struct cfi_row row;
	unsigned i;

	cfi_lookups_start(cfi);
	for (i = 0; i < 3; i++) {
		cfi_rule(cfi, 0x1000);
		cfi_rule(cfi, 0x1030);
		cfi_row(cfi, 0x5010, &row, &expressions);
	}
	kept = keep(cfi, &first);
	cfi_destroy(cfi);
	cfi_lookups_start(kept);
	cfi_rule(kept, 0x1000);
	cfi_rule(kept, 0x1030);
	cfi_row(kept, 0x5010, &row, &expressions);
	cfi_destroy(keep(kept, &second));
	cfi_destroy(kept);
	assert_int_equal(first.n, second.n);
	assert_memory_equal(first.at, second.at, first.n);
}

static struct {
	struct cfi *cfi; /* result of find_rest() */
	unsigned n_asked;
} other;

static struct cfi *find_rest(void *data)
{
	assert_ptr_equal(data, &other);
	other.n_asked++;
	return other.cfi;
}

/*
 * Makes a subset of the first lookups in make_rules(), with REST as fallback.
 */
static struct cfi *make_kept(struct strbuf *bytes, struct cfi *rest)
{
	struct cfi *cfi = make_rules(), *kept;

	cfi_lookups_start(cfi);
	cfi_rule(cfi, 0x1030);
	kept = keep(cfi, bytes);
	cfi_destroy(cfi);
	other.cfi = rest;
	other.n_asked = 0;
	cfi_set_fallback(kept, find_rest, &other);
	return kept;
}

static void rules_missing_in_a_subset_are_found_in_the_fallback(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct cfi *whole = make_rules(), *kept;
	const struct cfi_section *expressions;
	struct cfi_row row;

	kept = make_kept(&bytes, make_rules());
	assert_int_equal(cfi_rule(kept, 0x1030), cfi_rule(whole, 0x1030));
	assert_int_equal(other.n_asked, 0);
	assert_int_equal(cfi_rule(kept, 0x1000), cfi_rule(whole, 0x1000));
	assert_int_equal(cfi_rule(kept, 0x5010), CFI_COMPLEX);
	assert_int_equal(cfi_rule(kept, 0x6000), CFI_NONE);
	assert_true(cfi_row(kept, 0x5010, &row, &expressions));
	assert_int_equal(row.cfa.where, CFI_IS_RESULT);
	assert_int_equal(other.n_asked, 1);
	cfi_destroy(kept);
	cfi_destroy(whole);
}

static void a_subset_without_a_fallback_has_no_other_rules(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const struct cfi_section *expressions;
	struct cfi *kept = make_kept(&bytes, NULL);
	struct cfi_row row;

	assert_int_equal(cfi_rule(kept, 0x1000), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0x5010), CFI_NONE);
	assert_false(cfi_row(kept, 0x5010, &row, &expressions));
	assert_int_equal(other.n_asked, 1);
	cfi_destroy(kept);
}

/* Together, the two subsets have the rules of all lookups. */
static void rules_looked_up_in_the_fallback_are_in_the_next_subset(
	void **state _unused_)
{
	static const uint64_t asked[] = { 0x1000, 0x1030, 0x5010, 0x700010 };
	_cleanup_strbuf_ struct strbuf first = { 0 }, both = { 0 }, all = { 0 };
	struct cfi *whole = make_rules(), *rest = make_rules(), *kept;
	const struct cfi_section *expressions;
	struct cfi_row row;
	size_t i;

	kept = make_kept(&first, rest);
	cfi_lookups_start(whole);
	cfi_lookups_start(rest);
	cfi_lookups_start(kept);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		assert_int_equal(
			cfi_rule(kept, asked[i]), cfi_rule(whole, asked[i]));
	assert_true(cfi_row(kept, 0x5010, &row, &expressions));
	assert_true(cfi_row(whole, 0x5010, &row, &expressions));
	cfi_destroy(keep(kept, &both));
	cfi_destroy(keep(whole, &all));
	assert_int_equal(both.n, all.n);
	assert_memory_equal(both.at, all.at, all.n);
	cfi_destroy(kept);
	cfi_destroy(whole);
}

/* Rows of another file at the addresses of kept rows. */
static void overlapping_rules_of_subset_and_fallback_stay_in_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf first = { 0 }, both = { 0 };
	struct made_cfi made = { .n = 0 };
	struct cfi *rest, *kept, *again;

	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x100, 0x0e, 48);
	rest = made_cfi(&made, UNWIND_X86_64);
	kept = make_kept(&first, rest);
	cfi_lookups_start(rest);
	cfi_lookups_start(kept);
	cfi_rule(kept, 0x1030);
	assert_int_equal(cfi_x86_offset(cfi_rule(kept, 0x1001)), 48);
	again = keep(kept, &both);
	assert_int_equal(cfi_x86_offset(cfi_rule(again, 0x1001)), 48);
	assert_int_equal(cfi_rule(again, 0x1030), cfi_rule(kept, 0x1030));
	assert_int_equal(cfi_x86_offset(cfi_rule(again, 0x10ff)), 48);
	assert_int_equal(cfi_rule(again, 0x1100), CFI_NONE);
	cfi_destroy(again);
	cfi_destroy(kept);
}

/* Every lookup in damaged bytes must stay inside. */
static void ask_damaged(
	const struct strbuf *whole, size_t size, size_t at, uint8_t change)
{
	uint8_t *copy = exact_copy(whole->at, size);
	const struct cfi_section *expressions;
	struct cfi_subset subset;
	struct cfi_row row;
	struct bytes b = bytes_of(copy, size, false);
	struct cfi *cfi;
	uint64_t address;

	if (at < size)
		copy[at] ^= change;
	if (!cfi_subset_read(&b, &subset) ||
		cfi_subset_cost(&subset) > MIB(16)) {
		cfi_subset_deinit(&subset);
		free(copy);
		return;
	}
	cfi = cfi_create_from_subset(&subset);
	for (address = 0; address < 0x6000; address += 8) {
		cfi_rule(cfi, address);
		if (!cfi_row(cfi, address, &row, &expressions) ||
			row.cfa.where != CFI_IS_RESULT)
			continue;
		assert_true(row.cfa.offset >= 0);
		assert_true((size_t)row.cfa.offset + row.cfa.n <=
			expressions->size);
	}
	cfi_destroy(cfi);
	free(copy);
}

static void lookups_in_a_damaged_subset_stay_in_bounds(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };
	const struct cfi_section *expressions;
	struct cfi *cfi = make_rules();
	struct cfi_row row;
	size_t i;

	cfi_lookups_start(cfi);
	cfi_rule(cfi, 0x1000);
	cfi_rule(cfi, 0x5010);
	cfi_row(cfi, 0x5010, &row, &expressions);
	cfi_destroy(keep(cfi, &whole));
	cfi_destroy(cfi);
	for (i = 0; i < whole.n; i++) {
		ask_damaged(&whole, i, SIZE_MAX, 0);
		ask_damaged(&whole, whole.n, i, 0x01);
		ask_damaged(&whole, whole.n, i, 0x80);
		ask_damaged(&whole, whole.n, i, 0xff);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_that_were_looked_up_are_in_the_subset),
		cmocka_unit_test(
			complex_rows_that_were_looked_up_are_in_the_subset),
		cmocka_unit_test(
			expressions_copied_into_a_subset_have_a_size_limit),
		cmocka_unit_test(equal_neighbours_are_one_rule),
		cmocka_unit_test(a_subset_without_lookups_is_empty),
		cmocka_unit_test(
			lookups_in_a_subset_are_recorded_for_the_next_subset),
		cmocka_unit_test(
			rules_missing_in_a_subset_are_found_in_the_fallback),
		cmocka_unit_test(
			a_subset_without_a_fallback_has_no_other_rules),
		cmocka_unit_test(
			rules_looked_up_in_the_fallback_are_in_the_next_subset),
		cmocka_unit_test(
			overlapping_rules_of_subset_and_fallback_stay_in_order),
		cmocka_unit_test(lookups_in_a_damaged_subset_stay_in_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
