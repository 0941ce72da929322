/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/cardinality.h"

#include "tests/unit/testing.h"

/* STACKS that are the same but for their outermost callers, ROUNDS times each. */
static struct variety see(uint32_t stacks, uint32_t rounds)
{
	struct variety variety = { 0 };
	uint64_t chain[] = { 0x1000, 0x2000, 0 };
	struct sample sample = { .pid = 7,
		.tid = 8,
		.ip = 0x1000,
		.n_chain = 3,
		.chain = (const uint8_t *)chain };
	uint32_t round, i;

	for (round = 0; round < rounds; round++)
		for (i = 0; i < stacks; i++) {
			chain[2] = 0x400000 + i * 16;
			variety_see(&variety, &sample);
		}
	return variety;
}

static void assert_near(uint64_t number, uint64_t wanted)
{
	assert_in_range(number, wanted - wanted / 5, wanted + wanted / 5);
}

static void stacks_that_come_again_are_one_each_slice(void **state _unused_)
{
	struct variety variety = see(1000, 1000);

	assert_near(variety_stacks(&variety, 1), 1000);
	assert_near(variety_stacks(&variety, 32), 32000);
	/* So many samples there are. */
	assert_near(variety_stacks(&variety, 1u << 20), 1000000);
	variety_deinit(&variety);
}

static void stacks_that_are_there_once_are_in_one_slice(void **state _unused_)
{
	struct variety variety = see(300000, 1);

	assert_near(variety_stacks(&variety, 32), 300000);
	variety_deinit(&variety);
}

static void of_many_stacks_few_are_kept(void **state _unused_)
{
	struct variety variety = see(400000, 8);

	assert_true(variety.halvings > 0);
	assert_true(variety.at.n <= VARIETY_STACKS_MAX);
	assert_near(variety_stacks(&variety, 1u << 20), 3200000);
	variety_deinit(&variety);
}

static void threads_tell_stacks_apart(void **state _unused_)
{
	struct variety variety = { 0 };
	uint32_t i;

	for (i = 0; i < 100000; i++)
		variety_see(&variety,
			&(struct sample){ .pid = 7, .tid = i % 16, .ip = 1 });
	assert_int_equal(variety_stacks(&variety, 1), 16);
	variety_deinit(&variety);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_that_come_again_are_one_each_slice),
		cmocka_unit_test(stacks_that_are_there_once_are_in_one_slice),
		cmocka_unit_test(of_many_stacks_few_are_kept),
		cmocka_unit_test(threads_tell_stacks_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
