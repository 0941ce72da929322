/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/open/join_progress.h"

#define MSEC NSEC_PER_MSEC

static void add_fork_record(
	struct joins *joins, uint32_t parent, uint32_t child, uint64_t time)
{
	struct record_task fork = {
		.pid = 1, .ppid = 1, .tid = child, .ptid = parent, .time = time
	};

	joins_add_fork(joins, &fork);
}

/* Opens descriptors for TID between BEGIN and END. */
static void set_opening_time(
	struct joins *joins, pid_t tid, uint64_t begin, uint64_t end)
{
	struct join *join = joins_get(joins, tid);

	join->root = tid;
	join->begin = begin;
	join->end = end;
}

static void children_created_before_the_opening_do_not_inherit(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	assert_int_equal(joins_relation(&joins, 2), JOIN_APART);
	add_fork_record(&joins, 1, 3, 50);
	assert_int_equal(joins_relation(&joins, 3), JOIN_APART);
	joins_free(&joins);
}

static void it_is_unsure_whether_the_first_child_after_opening_inherits(
	void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 1, 2, 105);
	assert_int_equal(joins_relation(&joins, 2), JOIN_UNSURE);
	add_fork_record(&joins, 1, 3, 200);
	assert_int_equal(joins_relation(&joins, 3), JOIN_UNSURE);
	/* 4 was created after 3, which was after the opening. */
	add_fork_record(&joins, 1, 4, 300);
	assert_int_equal(joins_relation(&joins, 4), JOIN_INHERITS);
	joins_free(&joins);
}

static void a_child_created_long_after_the_opening_inherits(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 1, 2, 110 + 20 * MSEC);
	assert_int_equal(joins_relation(&joins, 2), JOIN_INHERITS);
	joins_free(&joins);
}

static void duplicate_fork_records_are_ignored(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 1, 2, 120);
	add_fork_record(&joins, 1, 2, 121);
	assert_int_equal(joins_relation(&joins, 2), JOIN_UNSURE);
	joins_free(&joins);
}

static void fork_records_can_arrive_out_of_order(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 1, 3, 300);
	add_fork_record(&joins, 1, 2, 120);
	assert_int_equal(joins_relation(&joins, 2), JOIN_UNSURE);
	assert_int_equal(joins_relation(&joins, 3), JOIN_UNSURE);
	joins_free(&joins);
}

static void removing_a_root_thread_detaches_all_its_descendants(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	set_opening_time(&joins, 5, 120, 130);
	add_fork_record(&joins, 1, 2, 200);
	add_fork_record(&joins, 1, 3, 300);
	joins_get(&joins, 3)->root = joins_parent_root(&joins, 3);
	add_fork_record(&joins, 3, 4, 301);
	/* 3 inherited all events at its creation. */
	assert_int_equal(joins_relation(&joins, 4), JOIN_INHERITS);
	joins_get(&joins, 4)->root = joins_parent_root(&joins, 4);
	assert_int_equal(joins_get(&joins, 4)->root, 1);
	joins_remove_root(&joins, 1);
	assert_int_equal(joins_get(&joins, 1)->root, 0);
	assert_int_equal(joins_get(&joins, 4)->root, 0);
	assert_int_equal(joins_get(&joins, 5)->root, 5);
	set_opening_time(&joins, 1, 400, 410);
	assert_int_equal(joins_relation(&joins, 2), JOIN_APART);
	assert_int_equal(joins_relation(&joins, 3), JOIN_APART);
	joins_free(&joins);
}

/* 2 was never listed because it ended too early. 3 inherits from it. */
static void children_of_threads_that_ended_early_inherit(void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 2, 3, 110 + 30 * MSEC);
	add_fork_record(&joins, 1, 2, 110 + 20 * MSEC);
	joins_inherit_roots(&joins);
	assert_int_equal(joins_get(&joins, 2)->root, 1);
	assert_int_equal(joins_get(&joins, 3)->root, 1);
	joins_free(&joins);
}

static void children_of_threads_older_than_the_opening_do_not_inherit(
	void **state)
{
	struct joins joins = { .inherits = true };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 1, 2, 50);
	add_fork_record(&joins, 2, 3, 200);
	joins_inherit_roots(&joins);
	assert_int_equal(joins_get(&joins, 2)->root, 0);
	assert_int_equal(joins_get(&joins, 3)->root, 0);
	joins_free(&joins);
}

static void no_child_inherits_if_inheritance_is_off(void **state)
{
	struct joins joins = { 0 };

	(void)state;
	set_opening_time(&joins, 1, 100, 110);
	add_fork_record(&joins, 1, 2, 105);
	add_fork_record(&joins, 1, 3, 200);
	assert_int_equal(joins_relation(&joins, 2), JOIN_APART);
	assert_int_equal(joins_relation(&joins, 3), JOIN_APART);
	joins_free(&joins);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			children_created_before_the_opening_do_not_inherit),
		cmocka_unit_test(
			it_is_unsure_whether_the_first_child_after_opening_inherits),
		cmocka_unit_test(
			a_child_created_long_after_the_opening_inherits),
		cmocka_unit_test(duplicate_fork_records_are_ignored),
		cmocka_unit_test(fork_records_can_arrive_out_of_order),
		cmocka_unit_test(
			removing_a_root_thread_detaches_all_its_descendants),
		cmocka_unit_test(children_of_threads_that_ended_early_inherit),
		cmocka_unit_test(
			children_of_threads_older_than_the_opening_do_not_inherit),
		cmocka_unit_test(no_child_inherits_if_inheritance_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
