/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests repeated hits, and more hits than the limit. */
#include "config.h"

#include "report/pack/pack_hits.h"

#include "tests/unit/testing.h"

#define MANY 1000000u

static void repeated_hits_take_no_memory(void **state _unused_)
{
	struct pack_hits hits = { 0 };
	struct pack_intake intake = { &hits, 3 };
	uint32_t i;

	for (i = 0; i < MANY; i++)
		pack_intake_add(&intake, (struct pack_hit){ 1, i % 2 });
	assert_true(hits.at.room < MANY / 4);
	assert_false(intake.has_omitted);
	pack_hits_sort(&hits);
	assert_int_equal(hits.at.n, 2);
	assert_int_equal(hits.at.at[1].place, 1);
	pack_hits_deinit(&hits);
}

static void hits_from_before_the_intake_are_kept(void **state _unused_)
{
	struct pack_hits hits = { 0 };
	struct pack_intake intake = { &hits, MANY };
	uint32_t i;

	for (i = 0; i < MANY / 2; i++)
		*array_push(&hits.at) = (struct pack_hit){ 1, i };
	for (i = 0; i < MANY / 2; i++)
		pack_intake_add(&intake, (struct pack_hit){ 0, i });
	assert_false(intake.has_omitted);
	pack_hits_sort(&hits);
	assert_int_equal(hits.at.n, MANY);
	assert_int_equal(hits.at.at[MANY - 1].dso, 1);
	pack_hits_deinit(&hits);
}

static void hits_beyond_the_limit_are_left_out(void **state _unused_)
{
	struct pack_hits hits = { 0 };
	struct pack_intake intake = { &hits, MANY / 4 };
	uint32_t i;

	for (i = 0; i < 4 * MANY; i++)
		pack_intake_add(&intake, (struct pack_hit){ 1, i });
	assert_true(intake.has_omitted);
	assert_true(hits.at.n >= MANY / 4);
	assert_true(hits.at.n <= MANY / 2);
	pack_hits_deinit(&hits);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeated_hits_take_no_memory),
		cmocka_unit_test(hits_from_before_the_intake_are_kept),
		cmocka_unit_test(hits_beyond_the_limit_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
