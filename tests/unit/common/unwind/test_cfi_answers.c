/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rules were asked: kept as bytes, and answered by these. */
#include "config.h"

#include "common/unwind/cfi_answers.h"

#include "common/unwind/cfi.h"
#include "common/util/alloc.h"
#include "tests/unit/make_cfi.h"
#include "tests/unit/testing.h"

/* Code with a frame pointer, with gaps, and with what needs more than 32 bits. */
static struct cfi *make_rules(void)
{
	struct made made = { .n = 0 };

	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x40, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6,
		0x60, 0x0c, 7, 8);
	MADE_FDE(&made, 0x1048, 0x20, 0x0e, 32);
	/* The CFA is *(rbx + 8); rbx lies at CFA - 16. */
	MADE_FDE(&made, 0x5000, 0x20, 0x0f, 3, 0x73, 8, 0x06, 0x83, 2);
	/* Undefined return address, far away. */
	MADE_FDE(&made, 0x700000, 0x20, 0x07, 16);
	return made_cfi(&made, UNWIND_X86_64);
}

/* To bytes and back. */
static struct cfi *keep(const struct cfi *cfi, struct strbuf *bytes)
{
	struct cfi_answers answers;
	struct bytes b;
	struct cfi *kept;
	uint64_t room;

	cfi_answers_of(cfi, &answers);
	cfi_answers_write(&answers, bytes);
	cfi_answers_deinit(&answers);
	b = bytes_of(bytes->at, bytes->n, false);
	room = cfi_answers_room(b);
	assert_true(cfi_answers_read(&b, &answers));
	assert_int_equal(bytes_left(&b), 0);
	assert_int_equal(room,
		answers.rules.n * sizeof(*answers.rules.at) +
			answers.rows.n * sizeof(*answers.rows.at) +
			answers.expressions.n);
	assert_in_range(room, 0, cfi_answers_cost(&answers));
	kept = cfi_create_from_answers(&answers);
	assert_null(answers.rows.at);
	return kept;
}

static void what_was_asked_is_answered(void **state _unused_)
{
	static const uint64_t asked[] = { 0x1000, 0x1003, 0x1030, 0x1044,
		0x5010, 0x700010 };
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct cfi *cfi = make_rules(), *kept;
	size_t i;

	cfi_watch(cfi);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		cfi_rule(cfi, asked[i]);
	kept = keep(cfi, &bytes);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		assert_int_equal(
			cfi_rule(kept, asked[i]), cfi_rule(cfi, asked[i]));
	assert_int_equal(cfi_rule(kept, 0x1044), CFI_PADDING);
	assert_int_equal(cfi_rule(kept, 0x5010), CFI_COMPLEX);
	assert_int_equal(cfi_rule(kept, 0x700010), CFI_ROOT);
	/* As far as the row goes, and no further. */
	assert_int_equal(cfi_rule(kept, 0x103f), cfi_rule(cfi, 0x103f));
	assert_int_equal(cfi_rule(kept, 0x1010), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0x1048), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0x70001f), CFI_ROOT);
	assert_int_equal(cfi_rule(kept, 0x700020), CFI_NONE);
	cfi_destroy(kept);
	cfi_destroy(cfi);
}

static void rows_are_kept_in_full(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	struct cfi *cfi = make_rules(), *kept;
	const struct cfi_section *there, *here;
	struct cfi_row row, again;

	cfi_watch(cfi);
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

/* Each row has the same one of a megabyte. */
static void expressions_that_rows_share_are_bounded(void **state _unused_)
{
	_cleanup_free_ uint8_t *expression = xcalloc(1, MIB(1));
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const struct cfi_section section = { .at = expression, .size = MIB(1) };
	struct cfi_row row = { .cfa = { .where = CFI_IS_RESULT, .n = MIB(1) } };
	const size_t fit = CFI_ANSWERS_EXPRESSIONS_MAX / MIB(1);
	struct cfi_answers answers = { 0 };
	struct bytes b;

	for (row.start = 0; row.start < 2 * fit; row.start++) {
		row.end = row.start + 1;
		cfi_answers_add_row(&answers, &row, &section);
	}
	assert_int_equal(answers.rows.n, fit);
	row.end = row.start + 1;
	row.cfa.where = CFI_IN;
	row.cfa.n = 7;
	cfi_answers_add_row(&answers, &row, &section);
	assert_int_equal(answers.rows.n, fit + 1);
	cfi_answers_write(&answers, &bytes);
	cfi_answers_deinit(&answers);
	b = bytes_of(bytes.at, bytes.n, false);
	assert_true(cfi_answers_read(&b, &answers));
	assert_int_equal(answers.rows.n, fit + 1);
	cfi_answers_deinit(&answers);
}

static void who_was_asked_nothing_knows_nothing(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	const struct cfi_section *expressions;
	struct cfi *cfi = make_rules(), *kept;
	struct cfi_row row;

	cfi_rule(cfi, 0x1000);
	cfi_watch(cfi);
	kept = keep(cfi, &bytes);
	assert_int_equal(cfi_rule(kept, 0x1000), CFI_NONE);
	assert_int_equal(cfi_rule(kept, 0), CFI_NONE);
	assert_int_equal(cfi_rule(kept, UINT64_MAX), CFI_NONE);
	assert_false(cfi_row(kept, 0x1000, &row, &expressions));
	cfi_destroy(kept);
	cfi_destroy(cfi);
}

static void kept_answers_are_watched_like_others(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf first = { 0 }, second = { 0 };
	const struct cfi_section *expressions;
	struct cfi *cfi = make_rules(), *kept;
	struct cfi_row row;
	unsigned i;

	cfi_watch(cfi);
	for (i = 0; i < 3; i++) {
		cfi_rule(cfi, 0x1000);
		cfi_rule(cfi, 0x1030);
		cfi_row(cfi, 0x5010, &row, &expressions);
	}
	kept = keep(cfi, &first);
	cfi_destroy(cfi);
	cfi_watch(kept);
	cfi_rule(kept, 0x1000);
	cfi_rule(kept, 0x1030);
	cfi_row(kept, 0x5010, &row, &expressions);
	cfi_destroy(keep(kept, &second));
	cfi_destroy(kept);
	assert_int_equal(first.n, second.n);
	assert_memory_equal(first.at, second.at, first.n);
}

static struct {
	struct cfi *cfi; /* what find_rest() gives */
	unsigned n_asked;
} other;

static struct cfi *find_rest(void *data)
{
	assert_ptr_equal(data, &other);
	other.n_asked++;
	return other.cfi;
}

/* What was asked first of what make_rules() makes, and what is asked after it. */
static struct cfi *make_kept(struct strbuf *bytes, struct cfi *rest)
{
	struct cfi *cfi = make_rules(), *kept;

	cfi_watch(cfi);
	cfi_rule(cfi, 0x1030);
	kept = keep(cfi, bytes);
	cfi_destroy(cfi);
	other.cfi = rest;
	other.n_asked = 0;
	cfi_set_rest(kept, find_rest, &other);
	return kept;
}

static void where_there_is_no_answer_the_rest_is_asked(void **state _unused_)
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

static void nobody_may_know_the_rest(void **state _unused_)
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

/* Together it is as if one had been asked all. */
static void what_the_rest_answered_is_kept_too(void **state _unused_)
{
	static const uint64_t asked[] = { 0x1000, 0x1030, 0x5010, 0x700010 };
	_cleanup_strbuf_ struct strbuf first = { 0 }, both = { 0 }, all = { 0 };
	struct cfi *whole = make_rules(), *rest = make_rules(), *kept;
	const struct cfi_section *expressions;
	struct cfi_row row;
	size_t i;

	kept = make_kept(&first, rest);
	cfi_watch(whole);
	cfi_watch(rest);
	cfi_watch(kept);
	for (i = 0; i < ARRAY_SIZE(asked); i++)
		assert_int_equal(cfi_rule(kept, asked[i]),
			cfi_rule(whole, asked[i]));
	assert_true(cfi_row(kept, 0x5010, &row, &expressions));
	assert_true(cfi_row(whole, 0x5010, &row, &expressions));
	cfi_destroy(keep(kept, &both));
	cfi_destroy(keep(whole, &all));
	assert_int_equal(both.n, all.n);
	assert_memory_equal(both.at, all.at, all.n);
	cfi_destroy(kept);
	cfi_destroy(whole);
}

/* Rows of another file, which are where some are that are kept. */
static void answers_that_overlap_stay_in_order(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf first = { 0 }, both = { 0 };
	struct made made = { .n = 0 };
	struct cfi *rest, *kept, *again;

	made_cie(&made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&made, 0x1000, 0x100, 0x0e, 48);
	rest = made_cfi(&made, UNWIND_X86_64);
	kept = make_kept(&first, rest);
	cfi_watch(rest);
	cfi_watch(kept);
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

/* Whatever it is then, nothing leads out of it. */
static void ask_damaged(const struct strbuf *whole, size_t size, size_t at,
	uint8_t change)
{
	uint8_t *copy = exact_copy(whole->at, size);
	const struct cfi_section *expressions;
	struct cfi_answers answers;
	struct cfi_row row;
	struct bytes b = bytes_of(copy, size, false);
	struct cfi *cfi;
	uint64_t address;

	if (at < size)
		copy[at] ^= change;
	if (!cfi_answers_read(&b, &answers) ||
		cfi_answers_cost(&answers) > MIB(16)) {
		cfi_answers_deinit(&answers);
		free(copy);
		return;
	}
	cfi = cfi_create_from_answers(&answers);
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

static void damage_leads_nowhere(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf whole = { 0 };
	const struct cfi_section *expressions;
	struct cfi *cfi = make_rules();
	struct cfi_row row;
	size_t i;

	cfi_watch(cfi);
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
		cmocka_unit_test(what_was_asked_is_answered),
		cmocka_unit_test(rows_are_kept_in_full),
		cmocka_unit_test(expressions_that_rows_share_are_bounded),
		cmocka_unit_test(who_was_asked_nothing_knows_nothing),
		cmocka_unit_test(kept_answers_are_watched_like_others),
		cmocka_unit_test(where_there_is_no_answer_the_rest_is_asked),
		cmocka_unit_test(nobody_may_know_the_rest),
		cmocka_unit_test(what_the_rest_answered_is_kept_too),
		cmocka_unit_test(answers_that_overlap_stay_in_order),
		cmocka_unit_test(damage_leads_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
