/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/attach.h"

#include "common/clock.h"

/* Where processes come and go all the time there is always a new one. */
#define PASSES_MAX 10

/* A thread whose samples were opened, or came with its parent's. */
struct joined {
	pid_t tid;
	uint64_t time; /* CLOCK_MONOTONIC when all its descriptors were open */
};

struct attaching {
	struct opened *opened;
	struct drain *drain;
	struct procs *procs;
	ARRAY(struct joined) joined;
	ARRAY(struct record_task) forks; /* seen since sideband is on */
};

static void see_fork(void *data, const struct record_task *fork)
{
	struct attaching *attaching = data;

	*array_push(&attaching->forks) = *fork;
}

/* Puts RECORDS into the queue before the rings fill up. */
static void hand_over(struct attaching *attaching, struct strbuf *records)
{
	drain_inject(attaching->drain, records);
	strbuf_clear(records);
	drain_round(attaching->drain);
}

static void add_system(struct attaching *attaching)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };
	size_t n_new = 1;
	unsigned pass;

	for (pass = 0; pass < PASSES_MAX && n_new; pass++) {
		while (procs_add_some(attaching->procs, &records, &n_new))
			hand_over(attaching, &records);
		hand_over(attaching, &records);
	}
}

static const struct joined *find_joined(
	const struct attaching *attaching, pid_t tid)
{
	array_each(&attaching->joined, joined)
		if (joined->tid == tid)
			return joined;
	return NULL;
}

static void join_thread(struct attaching *attaching, pid_t tid)
{
	*array_push(&attaching->joined) = (struct joined){
		tid, clock_now_ns() };
}

/*
 * A thread that a sampled one has made is sampled already. Only the FORK tells
 * which of both came first: the thread or its parent's event.
 */
static bool has_inherited(const struct attaching *attaching, pid_t tid)
{
	array_each(&attaching->forks, fork) {
		const struct joined *parent;

		if (fork->tid != (uint32_t)tid)
			continue;
		parent = find_joined(attaching, (pid_t)fork->ptid);
		if (parent && fork->time > parent->time)
			return true;
	}
	return false;
}

/* All threads of the target's processes, once each. */
static size_t list_threads(
	const struct target *target, struct task_list *threads)
{
	size_t n_new = 0;

	array_each(&target->pids.list, pid)
		n_new += target_threads(*pid, threads);
	return n_new;
}

/* Sideband on every thread; one that is opened twice only tells twice. */
static struct error *open_all_sideband(struct attaching *attaching)
{
	struct task_list threads = { 0 };
	struct error *err = NULL;
	size_t i = 0;

	while (!err && list_threads(attaching->opened->target, &threads))
		for (; i < threads.list.n && !err; i++) {
			pid_t tid = threads.list.at[i];

			if (tid != attaching->opened->first)
				err = open_sideband(attaching->opened, tid);
			if (i % 64 == 0)
				drain_round(attaching->drain);
		}
	array_free(&threads.list);
	return err;
}

static struct error *open_thread(struct attaching *attaching, pid_t tid)
{
	struct error *err = NULL;

	if (find_joined(attaching, tid))
		return NULL;
	drain_round(attaching->drain);
	if (!has_inherited(attaching, tid))
		err = open_samples(attaching->opened, tid);
	join_thread(attaching, tid);
	return err;
}

static struct error *open_all_samples(struct attaching *attaching)
{
	const struct target *target = attaching->opened->target;
	struct task_list threads = { 0 };
	struct error *err = NULL;
	size_t i = 0;

	while (!err && list_threads(target, &threads))
		for (; i < threads.list.n && !err; i++)
			err = open_thread(attaching, threads.list.at[i]);
	array_free(&threads.list);
	return err;
}

static struct error *open_named_samples(struct attaching *attaching)
{
	struct error *err = NULL;

	array_each(&attaching->opened->target->tids.list, tid)
		if (!err)
			err = open_thread(attaching, *tid);
	return err;
}

static void add_processes(struct attaching *attaching)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };

	array_each(&attaching->opened->target->pids.list, pid) {
		procs_add(attaching->procs, *pid, &records);
		hand_over(attaching, &records);
	}
}

static struct error *join_tasks(struct attaching *attaching)
{
	struct error *err;

	*array_push(&attaching->joined) = (struct joined){
		attaching->opened->first, attaching->opened->first_time };
	err = open_all_sideband(attaching);
	if (err)
		return err;
	add_processes(attaching);
	return attaching->opened->target->kind == TARGET_THREADS
		? open_named_samples(attaching)
		: open_all_samples(attaching);
}

struct error *attach(struct opened *opened, struct intake *intake,
	struct drain *drain, struct procs *procs)
{
	struct attaching attaching = {
		.opened = opened, .drain = drain, .procs = procs
	};
	struct error *err = NULL;

	if (opened->target->kind == TARGET_SYSTEM) {
		add_system(&attaching);
	} else if (opened->target->kind != TARGET_COMMAND) {
		intake_watch(intake, see_fork, &attaching);
		err = join_tasks(&attaching);
		intake_watch(intake, NULL, NULL);
	}
	array_free(&attaching.joined);
	array_free(&attaching.forks);
	return err;
}

void attach_heal(const struct target *target, struct drain *drain,
	struct procs *procs, uint64_t time)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };
	size_t n_new;

	procs_forget(procs);
	procs_set_time(procs, time);
	if (target->kind == TARGET_SYSTEM) {
		while (procs_add_some(procs, &records, &n_new))
			;
	} else {
		array_each(&target->pids.list, pid)
			procs_add(procs, *pid, &records);
	}
	drain_inject(drain, &records);
}
