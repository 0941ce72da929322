/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/inherited_tasks.h"

#include "common/util/alloc.h"
#include "common/util/array.h"

/* linux/threads.h, PID_MAX_LIMIT of 64-bit machines: all ids are below. */
#define IDS_MAX (4u * 1024 * 1024)

enum {
	BELONGS = 1, /* by process, or by thread if the target is threads */
	WAS_THERE = 2, /* by thread */
};

/* One that was made, by the ids that count. */
struct birth {
	uint32_t parent, child;
	uint64_t time;
};

struct kin {
	bool by_thread;
	uint32_t command; /* 0: there is none */
	uint64_t since; /* it belongs to the target */
	/* By id. Only the pages of ids that exist are ever touched. */
	uint8_t *states;
	ARRAY(struct birth) births; /* not settled yet; a heap by time */
	uint64_t n_strangers;
};

/* Ids of other pid namespaces come as -1: they share the last one. */
static uint8_t *state_of(struct kin *kin, uint32_t id)
{
	return &kin->states[MIN(id, IDS_MAX)];
}

static void set(struct kin *kin, const struct task_list *tasks, uint8_t bit)
{
	array_each (&tasks->list, id)
		*state_of(kin, (uint32_t)*id) |= bit;
}

struct kin *kin_create(const struct target *target)
{
	struct kin *kin = xcalloc(1, sizeof(*kin));
	struct task_list threads = { 0 };

	kin->states = xcalloc(IDS_MAX + 1, 1);
	kin->by_thread = target->kind == TARGET_THREADS;
	if (kin->by_thread) {
		set(kin, &target->tids, BELONGS | WAS_THERE);
		return kin;
	}
	if (target->kind == TARGET_COMMAND) {
		kin->command = (uint32_t)target->pids.list.at[0];
		kin->since = UINT64_MAX;
	}
	set(kin, &target->pids, BELONGS);
	array_each (&target->pids.list, pid)
		task_list_add_threads(&threads, *pid);
	set(kin, &threads, WAS_THERE);
	task_list_free(&threads);
	return kin;
}

void kin_destroy(struct kin *kin)
{
	if (!kin)
		return;
	array_free(&kin->births);
	free(kin->states);
	free(kin);
}

static bool is_earlier(const struct kin *kin, size_t a, size_t b)
{
	return kin->births.at[a].time < kin->births.at[b].time;
}

static void swap(struct kin *kin, size_t a, size_t b)
{
	struct birth kept = kin->births.at[a];

	kin->births.at[a] = kin->births.at[b];
	kin->births.at[b] = kept;
}

static void add(struct kin *kin, const struct birth *birth)
{
	size_t at = kin->births.n;

	*array_push(&kin->births) = *birth;
	for (; at && is_earlier(kin, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(kin, at, (at - 1) / 2);
}

static struct birth take_first(struct kin *kin)
{
	struct birth first = kin->births.at[0];
	size_t at = 0, child = 1, n = --kin->births.n;

	kin->births.at[0] = kin->births.at[n];
	for (; child < n; at = child, child = 2 * child + 1) {
		if (child + 1 < n && is_earlier(kin, child + 1, child))
			child++;
		if (!is_earlier(kin, child, at))
			break;
		swap(kin, child, at);
	}
	return first;
}

static void see_fork(
	struct kin *kin, const struct record_task *fork, uint64_t time)
{
	struct birth birth = { fork->ppid, fork->pid, time };

	if (kin->by_thread)
		birth = (struct birth){ fork->ptid, fork->tid, time };
	*state_of(kin, fork->tid) &= (uint8_t)~WAS_THERE;
	if (birth.parent != birth.child)
		add(kin, &birth);
}

void kin_see(struct kin *kin, const struct record *record, uint64_t time)
{
	struct record_comm comm;
	struct record_task task;

	if (record->type == RECORD_FORK && record_read_task(record, &task))
		see_fork(kin, &task, time);
	else if (record->type == RECORD_COMM && kin->since == UINT64_MAX &&
		record_read_comm(record, &comm) && comm.is_exec &&
		comm.pid == kin->command)
		kin->since = time;
}

/*
 * A child's FORK stands in the ring of another CPU than that of its own child,
 * which may be read first, even a round before it. So they count in the order
 * of time, when all of that time are there.
 */
void kin_settle(struct kin *kin, uint64_t until)
{
	while (kin->births.n && kin->births.at[0].time <= until) {
		struct birth birth = take_first(kin);
		uint8_t *child = state_of(kin, birth.child);

		if (*state_of(kin, birth.parent) & BELONGS)
			*child |= BELONGS;
		else /* Whoever had its id before was somebody else. */
			*child &= (uint8_t)~BELONGS;
	}
}

static bool belongs(
	struct kin *kin, const struct kin_task *task, bool follows)
{
	uint32_t id = kin->by_thread ? task->tid : task->pid;

	if (id == kin->command && task->time < kin->since)
		return false;
	return follows ? *state_of(kin, id) & BELONGS
		       : *state_of(kin, task->tid) & WAS_THERE;
}

bool kin_has(struct kin *kin, const struct kin_task *task, bool follows)
{
	if (belongs(kin, task, follows))
		return true;
	__atomic_store_n(
		&kin->n_strangers, kin->n_strangers + 1, __ATOMIC_RELAXED);
	return false;
}

uint64_t kin_count(const struct kin *kin)
{
	return __atomic_load_n(&kin->n_strangers, __ATOMIC_RELAXED);
}
