/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/inherited_tasks.h"

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "record/sys/pid_table.h"

enum {
	TASK_BELONGS = 1, /* the task belongs to the target; index PID, or TID
			     if by_thread */
	TASK_IS_ORIGINAL = 2, /* the thread existed at the start; index TID */
};

/*
 * A FORK record: PARENT and CHILD are PIDs, or TIDs if the target is threads.
 */
struct fork_event {
	uint32_t parent, child;
	uint64_t time;
};

struct inherited_tasks {
	bool by_thread;
	uint32_t command; /* PID of the command; 0: the target is not a command
			   */
	uint64_t since;	  /* time of the command's exec; UINT64_MAX: not yet */
	PID_TABLE(uint8_t) states;
	/*
	 * FORK records later than the last inherited_tasks_advance(), as a heap
	 * by time.
	 */
	ARRAY(struct fork_event) forks;
	uint64_t n_rejected;
};

static void mark_tasks(struct inherited_tasks *tasks,
	const struct task_list *list, uint8_t bit)
{
	array_each(&list->list, id)
		*pid_table_at(&tasks->states, (uint32_t)*id) |= bit;
}

struct inherited_tasks *inherited_tasks_create(const struct target *target)
{
	struct inherited_tasks *tasks = xcalloc(1, sizeof(*tasks));
	struct task_list threads = { 0 };

	pid_table_init(&tasks->states);
	tasks->by_thread = target->kind == TARGET_THREADS;
	if (tasks->by_thread) {
		mark_tasks(
			tasks, &target->tids, TASK_BELONGS | TASK_IS_ORIGINAL);
		return tasks;
	}
	if (target->kind == TARGET_COMMAND) {
		tasks->command = (uint32_t)target->pids.list.at[0];
		tasks->since = UINT64_MAX;
	}
	mark_tasks(tasks, &target->pids, TASK_BELONGS);
	array_each(&target->pids.list, pid)
		task_list_add_threads(&threads, *pid);
	mark_tasks(tasks, &threads, TASK_IS_ORIGINAL);
	task_list_free(&threads);
	return tasks;
}

void inherited_tasks_destroy(struct inherited_tasks *tasks)
{
	if (!tasks)
		return;
	array_free(&tasks->forks);
	pid_table_free(&tasks->states);
	free(tasks);
}

static bool is_fork_earlier(
	const struct inherited_tasks *tasks, size_t a, size_t b)
{
	return tasks->forks.at[a].time < tasks->forks.at[b].time;
}

static void swap_forks(struct inherited_tasks *tasks, size_t a, size_t b)
{
	struct fork_event kept = tasks->forks.at[a];

	tasks->forks.at[a] = tasks->forks.at[b];
	tasks->forks.at[b] = kept;
}

static struct fork_event pop_first_fork(struct inherited_tasks *tasks)
{
	struct fork_event first = tasks->forks.at[0];
	size_t at = 0, child = 1, n = --tasks->forks.n;

	tasks->forks.at[0] = tasks->forks.at[n];
	for (; child < n; at = child, child = 2 * child + 1) {
		if (child + 1 < n && is_fork_earlier(tasks, child + 1, child))
			child++;
		if (!is_fork_earlier(tasks, child, at))
			break;
		swap_forks(tasks, child, at);
	}
	return first;
}

void inherited_tasks_add_record(struct inherited_tasks *tasks,
	const struct record *record, uint64_t time)
{
	struct record_comm comm;
	struct record_task task;

	if (record->type == RECORD_FORK && record_read_task(record, &task)) {
		struct fork_event fork_event = { task.ppid, task.pid, time };

		if (tasks->by_thread)
			fork_event = (struct fork_event){ task.ptid, task.tid,
				time };
		*pid_table_at(&tasks->states, task.tid) &=
			(uint8_t)~TASK_IS_ORIGINAL;
		if (fork_event.parent != fork_event.child) {
			size_t at = tasks->forks.n;

			*array_push(&tasks->forks) = fork_event;
			for (; at && is_fork_earlier(tasks, at, (at - 1) / 2);
				at = (at - 1) / 2)
				swap_forks(tasks, at, (at - 1) / 2);
		}
	} else if (record->type == RECORD_COMM && tasks->since == UINT64_MAX &&
		record_read_comm(record, &comm) && comm.is_exec &&
		comm.pid == tasks->command)
		tasks->since = time;
}

/*
 * The FORK record of a child and the FORK record of the child's own child can
 * be in the ring buffers of different CPUs, and the second can be read up to
 * one round earlier. FORK records are therefore applied in the order of time,
 * when all records until their time have been read.
 */
void inherited_tasks_advance(struct inherited_tasks *tasks, uint64_t until)
{
	while (tasks->forks.n && tasks->forks.at[0].time <= until) {
		struct fork_event fork_event = pop_first_fork(tasks);
		uint8_t *child = pid_table_at(&tasks->states, fork_event.child);

		if (*pid_table_at(&tasks->states, fork_event.parent) &
			TASK_BELONGS)
			*child |= TASK_BELONGS;
		else /* The ID can have belonged to an older task. */
			*child &= (uint8_t)~TASK_BELONGS;
	}
}

bool inherited_tasks_has(struct inherited_tasks *tasks,
	const struct inherited_task *task, bool follows)
{
	uint32_t id = tasks->by_thread ? task->tid : task->pid;
	bool is_early = id == tasks->command && task->time < tasks->since;

	if (!is_early &&
		(follows ? *pid_table_at(&tasks->states, id) & TASK_BELONGS
			 : *pid_table_at(&tasks->states, task->tid) &
					TASK_IS_ORIGINAL))
		return true;
	__atomic_store_n(
		&tasks->n_rejected, tasks->n_rejected + 1, __ATOMIC_RELAXED);
	return false;
}

uint64_t inherited_tasks_n_rejected(const struct inherited_tasks *tasks)
{
	return __atomic_load_n(&tasks->n_rejected, __ATOMIC_RELAXED);
}
