/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/cardinality.h"

#include "tests/unit/testing.h"

/*
 * Adds STACKS that differ only in their outermost callers, ROUNDS times each.
 */
static struct cardinality see(uint32_t stacks, uint32_t rounds)
{
	struct cardinality cardinality = { 0 };
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
			cardinality_add_sample(&cardinality, &sample);
		}
	return cardinality;
}

static void assert_near(uint64_t number, uint64_t wanted)
{
	assert_in_range(number, wanted - wanted / 5, wanted + wanted / 5);
}

static void a_repeated_stack_counts_once_per_time_slice(void **state _unused_)
{
	struct cardinality cardinality = see(1000, 1000);

	assert_near(cardinality_estimate(&cardinality, 1), 1000);
	assert_near(cardinality_estimate(&cardinality, 32), 32000);
	/* The number of all samples. */
	assert_near(cardinality_estimate(&cardinality, 1u << 20), 1000000);
	cardinality_deinit(&cardinality);
}

static void a_stack_with_one_sample_is_in_one_time_slice(void **state _unused_)
{
	struct cardinality cardinality = see(300000, 1);

	assert_near(cardinality_estimate(&cardinality, 32), 300000);
	cardinality_deinit(&cardinality);
}

static void the_table_of_many_stacks_is_bounded(void **state _unused_)
{
	struct cardinality cardinality = see(400000, 8);

	assert_true(cardinality.halvings > 0);
	assert_true(cardinality.at.n <= CARDINALITY_STACKS_MAX);
	assert_near(cardinality_estimate(&cardinality, 1u << 20), 3200000);
	cardinality_deinit(&cardinality);
}

static void equal_stacks_of_different_threads_are_different(
	void **state _unused_)
{
	struct cardinality cardinality = { 0 };
	uint32_t i;

	for (i = 0; i < 100000; i++)
		cardinality_add_sample(&cardinality,
			&(struct sample){ .pid = 7, .tid = i % 16, .ip = 1 });
	assert_int_equal(cardinality_estimate(&cardinality, 1), 16);
	cardinality_deinit(&cardinality);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_repeated_stack_counts_once_per_time_slice),
		cmocka_unit_test(a_stack_with_one_sample_is_in_one_time_slice),
		cmocka_unit_test(the_table_of_many_stacks_is_bounded),
		cmocka_unit_test(
			equal_stacks_of_different_threads_are_different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
