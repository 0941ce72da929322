/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/open/join_progress.h"

#define MSEC NSEC_PER_MSEC

static void see_fork(
	struct joins *joins, uint32_t parent, uint32_t child, uint64_t time)
{
	struct record_task fork = {
		.pid = 1, .ppid = 1, .tid = child, .ptid = parent, .time = time
	};

	joins_see_fork(joins, &fork);
}

/* TID gets descriptors of its own. */
static void open_between(
	struct joins *joins, pid_t tid, uint64_t begin, uint64_t end)
{
	struct join *join = joins_get(joins, tid);

	join->root = tid;
	join->begin = begin;
	join->end = end;
}

static void test_one_that_was_there_has_nothing(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	assert_int_equal(joins_relation(&joins, 2), JOIN_APART);
	see_fork(&joins, 1, 3, 50);
	assert_int_equal(joins_relation(&joins, 3), JOIN_APART);
	joins_free(&joins);
}

static void test_the_first_after_opening_may_be_older(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 1, 2, 105);
	assert_int_equal(joins_relation(&joins, 2), JOIN_UNSURE);
	see_fork(&joins, 1, 3, 200);
	assert_int_equal(joins_relation(&joins, 3), JOIN_UNSURE);
	/* It began after 3 was there, which was after the opening. */
	see_fork(&joins, 1, 4, 300);
	assert_int_equal(joins_relation(&joins, 4), JOIN_INHERITS);
	joins_free(&joins);
}

static void test_much_later_is_no_doubt(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 1, 2, 110 + 20 * MSEC);
	assert_int_equal(joins_relation(&joins, 2), JOIN_INHERITS);
	joins_free(&joins);
}

static void test_a_fork_told_twice_is_one(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 1, 2, 120);
	see_fork(&joins, 1, 2, 121);
	assert_int_equal(joins_relation(&joins, 2), JOIN_UNSURE);
	joins_free(&joins);
}

static void test_forks_of_another_cpu_come_late(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 1, 3, 300);
	see_fork(&joins, 1, 2, 120);
	assert_int_equal(joins_relation(&joins, 2), JOIN_UNSURE);
	assert_int_equal(joins_relation(&joins, 3), JOIN_UNSURE);
	joins_free(&joins);
}

static void test_taking_back_reaches_all_heirs(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	open_between(&joins, 5, 120, 130);
	see_fork(&joins, 1, 2, 200);
	see_fork(&joins, 1, 3, 300);
	joins_get(&joins, 3)->root = joins_parent_root(&joins, 3);
	see_fork(&joins, 3, 4, 301);
	/* 3 has had all from its first instruction on. */
	assert_int_equal(joins_relation(&joins, 4), JOIN_INHERITS);
	joins_get(&joins, 4)->root = joins_parent_root(&joins, 4);
	assert_int_equal(joins_get(&joins, 4)->root, 1);
	joins_undo(&joins, 1);
	assert_int_equal(joins_get(&joins, 1)->root, 0);
	assert_int_equal(joins_get(&joins, 4)->root, 0);
	assert_int_equal(joins_get(&joins, 5)->root, 5);
	open_between(&joins, 1, 400, 410);
	assert_int_equal(joins_relation(&joins, 2), JOIN_APART);
	assert_int_equal(joins_relation(&joins, 3), JOIN_APART);
	joins_free(&joins);
}

/* 2 was never listed, as it was gone too soon; 3 has what it had. */
static void test_who_is_gone_has_passed_on_what_it_had(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 2, 3, 110 + 30 * MSEC);
	see_fork(&joins, 1, 2, 110 + 20 * MSEC);
	joins_adopt(&joins);
	assert_int_equal(joins_get(&joins, 2)->root, 1);
	assert_int_equal(joins_get(&joins, 3)->root, 1);
	joins_free(&joins);
}

static void test_who_is_apart_is_not_adopted(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 1, 2, 50);
	see_fork(&joins, 2, 3, 200);
	joins_adopt(&joins);
	assert_int_equal(joins_get(&joins, 2)->root, 0);
	assert_int_equal(joins_get(&joins, 3)->root, 0);
	joins_free(&joins);
}

static void test_nothing_is_passed_on_without_inherit(void **state)
{
	struct joins joins = { 0 };

	(void)state;
	open_between(&joins, 1, 100, 110);
	see_fork(&joins, 1, 2, 105);
	see_fork(&joins, 1, 3, 200);
	assert_int_equal(joins_relation(&joins, 2), JOIN_APART);
	assert_int_equal(joins_relation(&joins, 3), JOIN_APART);
	joins_free(&joins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_that_was_there_has_nothing),
		cmocka_unit_test(test_the_first_after_opening_may_be_older),
		cmocka_unit_test(test_much_later_is_no_doubt),
		cmocka_unit_test(test_a_fork_told_twice_is_one),
		cmocka_unit_test(test_forks_of_another_cpu_come_late),
		cmocka_unit_test(test_taking_back_reaches_all_heirs),
		cmocka_unit_test(test_who_is_gone_has_passed_on_what_it_had),
		cmocka_unit_test(test_who_is_apart_is_not_adopted),
		cmocka_unit_test(test_nothing_is_passed_on_without_inherit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
