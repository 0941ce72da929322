/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/budget.h"

#include <pthread.h>

#include "tests/unit/testing.h"

#define THREADS 4u
#define RESERVED_BY_THREAD 50000u

static void exactly_the_limit_of_a_budget_can_be_reserved(void **state _unused_)
{
	struct budget budget = BUDGET(100);

	assert_true(budget_reserve(&budget, 60));
	assert_false(budget_reserve(&budget, 41));
	assert_true(budget_reserve(&budget, 40));
	assert_true(budget_reserve(&budget, 0));
	assert_false(budget_reserve(&budget, 1));
}

static void a_size_near_the_largest_number_does_not_wrap_around(
	void **state _unused_)
{
	struct budget budget = BUDGET(100);

	assert_true(budget_reserve(&budget, 50));
	assert_false(budget_reserve(&budget, UINT64_MAX));
	assert_false(budget_reserve(&budget, UINT64_MAX - 49));
	budget_set_limit(&budget, UINT64_MAX);
	assert_false(budget_reserve(&budget, UINT64_MAX));
	assert_true(budget_reserve(&budget, UINT64_MAX - 50));
}

static void released_bytes_can_be_reserved_again(void **state _unused_)
{
	struct budget budget = BUDGET(100);

	assert_true(budget_reserve(&budget, 100));
	budget_release(&budget, 30);
	assert_false(budget_reserve(&budget, 31));
	assert_true(budget_reserve(&budget, 30));
}

static void releasing_too_much_leaves_nothing_reserved(void **state _unused_)
{
	struct budget budget = BUDGET(100);

	assert_true(budget_reserve(&budget, 10));
	budget_release(&budget, 11);
	assert_true(budget_reserve(&budget, 100));
	assert_false(budget_reserve(&budget, 1));
}

static void a_lower_limit_keeps_what_is_reserved(void **state _unused_)
{
	struct budget budget = BUDGET(100);

	assert_true(budget_reserve(&budget, 80));
	budget_set_limit(&budget, 50);
	assert_false(budget_reserve(&budget, 0));
	budget_release(&budget, 40);
	assert_true(budget_reserve(&budget, 10));
	assert_false(budget_reserve(&budget, 1));
}

static void without_a_budget_any_size_can_be_reserved(void **state _unused_)
{
	assert_true(budget_reserve(NULL, UINT64_MAX));
	budget_release(NULL, 1);
}

static void *reserve_and_release(void *data)
{
	struct budget *budget = data;
	size_t i, n = 0;

	for (i = 0; i < RESERVED_BY_THREAD; i++) {
		n += budget_reserve(budget, 3);
		if (i % 2 && n) {
			budget_release(budget, 3);
			n--;
		}
	}
	return (void *)n;
}

static void reservations_by_several_threads_are_counted_exactly(
	void **state _unused_)
{
	struct budget budget = BUDGET(UINT64_C(3) * RESERVED_BY_THREAD);
	pthread_t threads[THREADS];
	uint64_t kept = 0;
	size_t i;

	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
					 reserve_and_release, &budget),
			0);
	for (i = 0; i < THREADS; i++) {
		void *n;

		assert_int_equal(pthread_join(threads[i], &n), 0);
		kept += 3 * (uintptr_t)n;
	}
	assert_int_equal(budget.reserved, kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exactly_the_limit_of_a_budget_can_be_reserved),
		cmocka_unit_test(
			a_size_near_the_largest_number_does_not_wrap_around),
		cmocka_unit_test(released_bytes_can_be_reserved_again),
		cmocka_unit_test(releasing_too_much_leaves_nothing_reserved),
		cmocka_unit_test(a_lower_limit_keeps_what_is_reserved),
		cmocka_unit_test(without_a_budget_any_size_can_be_reserved),
		cmocka_unit_test(
			reservations_by_several_threads_are_counted_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
