/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/stream/inherited_tasks.h"

/* Of the target KIND with one id. */
static struct kin *make(enum target_kind kind, pid_t id)
{
	struct target target = { .kind = kind };
	struct kin *kin;

	task_list_add(
		kind == TARGET_THREADS ? &target.tids : &target.pids, id);
	kin = kin_create(&target);
	target_deinit(&target);
	return kin;
}

static void see(struct kin *kin, struct strbuf *records, uint64_t time)
{
	struct record record;

	assert_true(record_at(
		(const uint8_t *)records->at, records->n, false, &record));
	kin_see(kin, &record, time);
	strbuf_free(records);
}

/* Thread PTID of PPID makes TID of PID. */
static void see_fork(struct kin *kin, const uint32_t parent[2],
	const uint32_t child[2], uint64_t time)
{
	struct record_task fork = { child[0], parent[0], child[1], parent[1],
		time };
	struct strbuf records = { 0 };

	record_write_task(&records, RECORD_FORK, &fork, NULL, 0);
	see(kin, &records, time);
}

static bool has(struct kin *kin, uint32_t pid, uint32_t tid, uint64_t time)
{
	return kin_has(kin, &(struct kin_task){ pid, tid, time }, true);
}

#define TASK(pid, tid) ((const uint32_t[2]){ pid, tid })

static void test_a_process_has_its_threads_and_children(void **state)
{
	struct kin *kin = make(TARGET_PROCESSES, 10);

	(void)state;
	assert_true(has(kin, 10, 10, 1));
	assert_true(has(kin, 10, 12, 1));
	assert_false(has(kin, 20, 20, 1));
	see_fork(kin, TASK(10, 12), TASK(30, 30), 5);
	see_fork(kin, TASK(20, 20), TASK(40, 40), 5);
	kin_settle(kin, 10);
	assert_true(has(kin, 30, 30, 6));
	assert_true(has(kin, 30, 31, 6));
	assert_false(has(kin, 40, 40, 6));
	assert_int_equal(kin_count(kin), 2);
	kin_destroy(kin);
}

static void test_a_grandchild_may_be_told_of_first(void **state)
{
	struct kin *kin = make(TARGET_PROCESSES, 10);

	(void)state;
	/* In one round, and in the round before its parent's FORK. */
	see_fork(kin, TASK(30, 30), TASK(31, 31), 5);
	see_fork(kin, TASK(10, 10), TASK(30, 30), 4);
	see_fork(kin, TASK(50, 50), TASK(51, 51), 13);
	kin_settle(kin, 10);
	assert_true(has(kin, 31, 31, 6));
	assert_false(has(kin, 51, 51, 14));
	see_fork(kin, TASK(10, 10), TASK(50, 50), 12);
	kin_settle(kin, 20);
	assert_true(has(kin, 51, 51, 14));
	kin_destroy(kin);
}

static void test_an_id_that_is_used_again_is_somebody_else(void **state)
{
	struct kin *kin = make(TARGET_PROCESSES, 10);

	(void)state;
	see_fork(kin, TASK(10, 10), TASK(30, 30), 4);
	kin_settle(kin, 10);
	see_fork(kin, TASK(20, 20), TASK(30, 30), 14);
	kin_settle(kin, 20);
	assert_false(has(kin, 30, 30, 15));
	kin_destroy(kin);
}

/* Within one round, too: what its first owner made stays the target's. */
static void test_who_made_another_may_be_gone_with_its_id(void **state)
{
	struct kin *kin = make(TARGET_PROCESSES, 10);

	(void)state;
	see_fork(kin, TASK(20, 20), TASK(30, 30), 8);
	see_fork(kin, TASK(10, 10), TASK(30, 30), 4);
	see_fork(kin, TASK(30, 30), TASK(31, 31), 6);
	kin_settle(kin, 10);
	assert_true(has(kin, 31, 31, 9));
	assert_false(has(kin, 30, 30, 9));
	kin_destroy(kin);
}

/* A chain, each one made by the one before, whose FORKs come in any order. */
static void test_generations_may_come_in_any_order(void **state)
{
	enum { N = 101, STEP = 37, FIRST = 1000 };
	struct kin *kin = make(TARGET_PROCESSES, FIRST);
	uint32_t i, parent;

	(void)state;
	for (i = 0; i < N; i++) {
		parent = FIRST + i * STEP % N;
		see_fork(kin, TASK(parent, parent),
			TASK(parent + 1, parent + 1), parent);
	}
	kin_settle(kin, FIRST + N / 2);
	for (i = 0; i <= N; i++)
		assert_int_equal(has(kin, FIRST + i, FIRST + i, 1),
			i <= N / 2 + 1);
	kin_settle(kin, FIRST + N);
	assert_true(has(kin, FIRST + N, FIRST + N, 1));
	kin_destroy(kin);
}

static void test_threads_have_what_they_make(void **state)
{
	struct kin *kin = make(TARGET_THREADS, 12);

	(void)state;
	see_fork(kin, TASK(10, 12), TASK(10, 13), 4);
	see_fork(kin, TASK(10, 11), TASK(10, 14), 4);
	see_fork(kin, TASK(10, 13), TASK(30, 30), 5);
	kin_settle(kin, 10);
	assert_true(has(kin, 10, 12, 6));
	assert_true(has(kin, 10, 13, 6));
	assert_true(has(kin, 30, 30, 6));
	assert_false(has(kin, 10, 10, 6));
	assert_false(has(kin, 10, 14, 6));
	kin_destroy(kin);
}

static void test_who_does_not_follow_has_only_who_was_there(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct kin *kin = make(TARGET_PROCESSES, getpid());
	struct kin_task task = { self, self, 6 };

	(void)state;
	assert_true(kin_has(kin, &task, false));
	see_fork(kin, TASK(self, self), TASK(self, self + 1), 4);
	kin_settle(kin, 10);
	task.tid++;
	assert_false(kin_has(kin, &task, false));
	assert_true(kin_has(kin, &task, true));
	kin_destroy(kin);
}

static void test_a_command_begins_with_its_exec(void **state)
{
	struct record_comm comm = { 10, 10, true, "true" };
	struct kin *kin = make(TARGET_COMMAND, 10);
	struct strbuf records = { 0 };

	(void)state;
	assert_false(has(kin, 10, 10, 6));
	record_write_comm(&records, &comm, NULL, 0);
	see(kin, &records, 7);
	assert_false(has(kin, 10, 10, 6));
	assert_true(has(kin, 10, 10, 7));
	record_write_comm(&records, &comm, NULL, 0);
	see(kin, &records, 9);
	assert_true(has(kin, 10, 10, 8));
	kin_destroy(kin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_process_has_its_threads_and_children),
		cmocka_unit_test(test_a_grandchild_may_be_told_of_first),
		cmocka_unit_test(
			test_an_id_that_is_used_again_is_somebody_else),
		cmocka_unit_test(
			test_who_made_another_may_be_gone_with_its_id),
		cmocka_unit_test(test_generations_may_come_in_any_order),
		cmocka_unit_test(test_threads_have_what_they_make),
		cmocka_unit_test(
			test_who_does_not_follow_has_only_who_was_there),
		cmocka_unit_test(test_a_command_begins_with_its_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
