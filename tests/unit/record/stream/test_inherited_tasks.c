/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/stream/inherited_tasks.h"

/* The tasks of a target of KIND with one ID. */
static struct inherited_tasks *create_tasks(enum target_kind kind, pid_t id)
{
	struct target target = { .kind = kind };
	struct inherited_tasks *inherited;

	task_list_add(kind == TARGET_THREADS ? &target.tids : &target.pids, id);
	inherited = inherited_tasks_create(&target);
	target_deinit(&target);
	return inherited;
}

static void see(struct inherited_tasks *inherited, struct strbuf *records,
	uint64_t time)
{
	struct record record;

	assert_true(record_at(
		(const uint8_t *)records->at, records->n, false, &record));
	inherited_tasks_add_record(inherited, &record, time);
	strbuf_free(records);
}

/* Thread PTID of PPID creates thread TID of PID. */
static void see_fork(struct inherited_tasks *inherited,
	const uint32_t parent[2], const uint32_t child[2], uint64_t time)
{
	struct record_task fork = { child[0], parent[0], child[1], parent[1],
		time };
	struct strbuf records = { 0 };

	record_write_task(&records, RECORD_FORK, &fork, NULL, 0);
	see(inherited, &records, time);
}

static bool has_task(struct inherited_tasks *inherited, uint32_t pid,
	uint32_t tid, uint64_t time)
{
	return inherited_tasks_has(
		inherited, &(struct inherited_task){ pid, tid, time }, true);
}

#define TASK(pid, tid) ((const uint32_t[2]){ pid, tid })

static void threads_and_children_of_a_target_process_belong_to_it(void **state)
{
	struct inherited_tasks *inherited = create_tasks(TARGET_PROCESSES, 10);

	(void)state;
	assert_true(has_task(inherited, 10, 10, 1));
	assert_true(has_task(inherited, 10, 12, 1));
	assert_false(has_task(inherited, 20, 20, 1));
	see_fork(inherited, TASK(10, 12), TASK(30, 30), 5);
	see_fork(inherited, TASK(20, 20), TASK(40, 40), 5);
	inherited_tasks_advance(inherited, 10);
	assert_true(has_task(inherited, 30, 30, 6));
	assert_true(has_task(inherited, 30, 31, 6));
	assert_false(has_task(inherited, 40, 40, 6));
	assert_int_equal(inherited_tasks_n_rejected(inherited), 2);
	inherited_tasks_destroy(inherited);
}

static void fork_records_can_arrive_after_those_of_the_children(void **state)
{
	struct inherited_tasks *inherited = create_tasks(TARGET_PROCESSES, 10);

	(void)state;
	/* In one round, and in the round before the FORK of its parent. */
	see_fork(inherited, TASK(30, 30), TASK(31, 31), 5);
	see_fork(inherited, TASK(10, 10), TASK(30, 30), 4);
	see_fork(inherited, TASK(50, 50), TASK(51, 51), 13);
	inherited_tasks_advance(inherited, 10);
	assert_true(has_task(inherited, 31, 31, 6));
	assert_false(has_task(inherited, 51, 51, 14));
	see_fork(inherited, TASK(10, 10), TASK(50, 50), 12);
	inherited_tasks_advance(inherited, 20);
	assert_true(has_task(inherited, 51, 51, 14));
	inherited_tasks_destroy(inherited);
}

static void a_reused_id_is_not_in_the_target(void **state)
{
	struct inherited_tasks *inherited = create_tasks(TARGET_PROCESSES, 10);

	(void)state;
	see_fork(inherited, TASK(10, 10), TASK(30, 30), 4);
	inherited_tasks_advance(inherited, 10);
	see_fork(inherited, TASK(20, 20), TASK(30, 30), 14);
	inherited_tasks_advance(inherited, 20);
	assert_false(has_task(inherited, 30, 30, 15));
	inherited_tasks_destroy(inherited);
}

/* Also within one round: a child of the first owner remains in the target. */
static void a_child_stays_in_the_target_if_its_parents_id_is_reused(
	void **state)
{
	struct inherited_tasks *inherited = create_tasks(TARGET_PROCESSES, 10);

	(void)state;
	see_fork(inherited, TASK(20, 20), TASK(30, 30), 8);
	see_fork(inherited, TASK(10, 10), TASK(30, 30), 4);
	see_fork(inherited, TASK(30, 30), TASK(31, 31), 6);
	inherited_tasks_advance(inherited, 10);
	assert_true(has_task(inherited, 31, 31, 9));
	assert_false(has_task(inherited, 30, 30, 9));
	inherited_tasks_destroy(inherited);
}

/*
 * A chain of tasks, each created by the previous one, whose FORK records arrive
 * in any order.
 */
static void fork_records_of_generations_can_arrive_in_any_order(void **state)
{
	enum { N = 101, STEP = 37, FIRST = 1000 };
	struct inherited_tasks *inherited =
		create_tasks(TARGET_PROCESSES, FIRST);
	uint32_t i, parent;

	(void)state;
	for (i = 0; i < N; i++) {
		parent = FIRST + i * STEP % N;
		see_fork(inherited, TASK(parent, parent),
			TASK(parent + 1, parent + 1), parent);
	}
	inherited_tasks_advance(inherited, FIRST + N / 2);
	for (i = 0; i <= N; i++)
		assert_int_equal(has_task(inherited, FIRST + i, FIRST + i, 1),
			i <= N / 2 + 1);
	inherited_tasks_advance(inherited, FIRST + N);
	assert_true(has_task(inherited, FIRST + N, FIRST + N, 1));
	inherited_tasks_destroy(inherited);
}

static void children_of_a_target_thread_belong_to_the_target(void **state)
{
	struct inherited_tasks *inherited = create_tasks(TARGET_THREADS, 12);

	(void)state;
	see_fork(inherited, TASK(10, 12), TASK(10, 13), 4);
	see_fork(inherited, TASK(10, 11), TASK(10, 14), 4);
	see_fork(inherited, TASK(10, 13), TASK(30, 30), 5);
	inherited_tasks_advance(inherited, 10);
	assert_true(has_task(inherited, 10, 12, 6));
	assert_true(has_task(inherited, 10, 13, 6));
	assert_true(has_task(inherited, 30, 30, 6));
	assert_false(has_task(inherited, 10, 10, 6));
	assert_false(has_task(inherited, 10, 14, 6));
	inherited_tasks_destroy(inherited);
}

static void without_inheritance_only_original_tasks_are_in_the_target(
	void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct inherited_tasks *inherited =
		create_tasks(TARGET_PROCESSES, getpid());
	struct inherited_task task = { self, self, 6 };

	(void)state;
	assert_true(inherited_tasks_has(inherited, &task, false));
	see_fork(inherited, TASK(self, self), TASK(self, self + 1), 4);
	inherited_tasks_advance(inherited, 10);
	task.tid++;
	assert_false(inherited_tasks_has(inherited, &task, false));
	assert_true(inherited_tasks_has(inherited, &task, true));
	inherited_tasks_destroy(inherited);
}

static void a_command_belongs_to_the_target_from_its_exec_on(void **state)
{
	struct record_comm comm = { 10, 10, true, "true" };
	struct inherited_tasks *inherited = create_tasks(TARGET_COMMAND, 10);
	struct strbuf records = { 0 };

	(void)state;
	assert_false(has_task(inherited, 10, 10, 6));
	record_write_comm(&records, &comm, NULL, 0);
	see(inherited, &records, 7);
	assert_false(has_task(inherited, 10, 10, 6));
	assert_true(has_task(inherited, 10, 10, 7));
	record_write_comm(&records, &comm, NULL, 0);
	see(inherited, &records, 9);
	assert_true(has_task(inherited, 10, 10, 8));
	inherited_tasks_destroy(inherited);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			threads_and_children_of_a_target_process_belong_to_it),
		cmocka_unit_test(
			fork_records_can_arrive_after_those_of_the_children),
		cmocka_unit_test(a_reused_id_is_not_in_the_target),
		cmocka_unit_test(
			a_child_stays_in_the_target_if_its_parents_id_is_reused),
		cmocka_unit_test(
			fork_records_of_generations_can_arrive_in_any_order),
		cmocka_unit_test(
			children_of_a_target_thread_belong_to_the_target),
		cmocka_unit_test(
			without_inheritance_only_original_tasks_are_in_the_target),
		cmocka_unit_test(
			a_command_belongs_to_the_target_from_its_exec_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
