/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/attach_running.h"

#include <errno.h>
#include <signal.h>

#include "common/util/log.h"
#include "record/open/join_progress.h"
#include "record/open/open_task.h"
#include "record/sys/clocks.h"
#include "record/sys/fd_limits.h"

/* Where processes come and go all the time there is always a new one. */
#define PASSES_MAX 10
/* The rings are emptied after so many threads were opened. */
#define THREADS_PER_ROUND 16

struct attaching {
	struct opened *opened;
	struct drain *drain;
	struct procs *procs;
	struct task_list threads; /* of the target's processes, once each */
	size_t n_heard;		  /* of THREADS, whose sideband is on */
	size_t n_opened;	  /* calls of open_thread() */
	struct joins heard, sampled;
};

static void see_fork(void *data, const struct record_task *fork)
{
	struct attaching *attaching = data;

	joins_see_fork(&attaching->heard, fork);
	joins_see_fork(&attaching->sampled, fork);
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

/* Opens one thread with OPEN, for JOINS. */
static struct error *open_thread(struct attaching *attaching,
	struct joins *joins, pid_t tid,
	struct error *(*open)(struct opened *opened, pid_t tid))
{
	struct opened *opened = attaching->opened;
	struct join *join = joins_get(joins, tid);
	struct error *err;

	join->begin = clocks_now();
	join->first_fd = opened->fds.n;
	err = open(opened, tid);
	join->n_fds = opened->fds.n - join->first_fd;
	join->end = clocks_now();
	join->root = tid;
	if (++attaching->n_opened % THREADS_PER_ROUND == 0)
		drain_round(attaching->drain);
	return err;
}

static struct error *check_limit(const struct attaching *attaching)
{
	return limits_descriptors(open_for_threads(
		attaching->opened, attaching->threads.list.n + 2));
}

/* Sideband of every thread; where it is on twice it only tells twice. */
static struct error *hear_threads(struct attaching *attaching)
{
	struct task_list *threads = &attaching->threads;
	struct error *err = NULL;

	array_each (&attaching->opened->target->pids.list, pid)
		task_list_add_threads(threads, *pid);
	if (attaching->n_heard < threads->list.n)
		err = check_limit(attaching);
	drain_round(attaching->drain);
	while (!err && attaching->n_heard < threads->list.n) {
		pid_t tid = threads->list.at[attaching->n_heard++];

		if (joins_relation(&attaching->heard, tid) != JOIN_INHERITS)
			err = open_thread(attaching, &attaching->heard, tid,
				open_sideband);
		else
			joins_get(&attaching->heard, tid)->root =
				joins_parent_root(&attaching->heard, tid);
	}
	return err;
}

static struct error *hear_all(struct attaching *attaching)
{
	struct error *err;
	size_t before;

	do {
		before = attaching->n_heard;
		err = hear_threads(attaching);
	} while (!err && attaching->n_heard > before);
	return err;
}

/* Takes back the samples of ROOT and of all that inherited from it. */
static void undo(struct attaching *attaching, pid_t root)
{
	const struct join *join = joins_get(&attaching->sampled, root);

	log_verbose("thread %d made another one while it was joined: again",
		(int)root);
	opened_close(attaching->opened, join->first_fd, join->n_fds);
	joins_undo(&attaching->sampled, root);
}

/* Its own descriptors and its parent's: one of both is too much. */
static void join_parent(struct attaching *attaching, pid_t tid)
{
	struct joins *joins = &attaching->sampled;
	const struct join *join = joins_get(joins, tid);

	if (join->root == tid)
		opened_close(attaching->opened, join->first_fd, join->n_fds);
	if (join->root)
		joins_move(joins, join->root, joins_parent_root(joins, tid));
	else
		joins_get(joins, tid)->root = joins_parent_root(joins, tid);
}

/* Nobody is left whom it matters to what TID had. */
static bool is_gone(const struct join *join)
{
	return !join->last_child && kill(join->tid, 0) < 0 && errno == ESRCH;
}

/*
 * Threads that came while their parents were joined. True if something had to
 * be taken back or given up, so that another pass is needed.
 */
static bool settle(struct attaching *attaching)
{
	struct joins *joins = &attaching->sampled;
	bool has_changed = false;
	size_t i;

	for (i = 0; i < joins->list.n; i++) {
		struct join join = joins->list.at[i];
		enum join_relation relation = joins_relation(joins, join.tid);

		if (relation == JOIN_INHERITS && join.root == join.tid)
			join_parent(attaching, join.tid);
		else if (relation == JOIN_UNSURE && !is_gone(&join))
			undo(attaching, joins_parent_root(joins, join.tid));
		else
			continue;
		has_changed = true;
	}
	return has_changed;
}

static struct error *sample_thread(struct attaching *attaching, pid_t tid)
{
	struct joins *joins = &attaching->sampled;

	if (joins_get(joins, tid)->root)
		return NULL;
	if (joins_relation(joins, tid) == JOIN_APART)
		return open_thread(attaching, joins, tid, open_samples);
	join_parent(attaching, tid);
	return NULL;
}

/* One pass over all that are to be sampled. */
static struct error *sample_threads(struct attaching *attaching)
{
	const struct target *target = attaching->opened->target;
	const struct task_list *tasks = target->kind == TARGET_THREADS
		? &target->tids
		: &attaching->threads;
	struct error *err = NULL;
	size_t i;

	joins_adopt(&attaching->sampled);
	for (i = 0; i < tasks->list.n && !err; i++)
		err = sample_thread(attaching, tasks->list.at[i]);
	return err;
}

/* Until a pass has opened nothing, so that nothing new is unsure. */
static struct error *sample_all(struct attaching *attaching)
{
	const struct opened *opened = attaching->opened;
	bool is_settled = false;
	struct error *err = NULL;
	unsigned pass = 0;

	while (!err && !is_settled && pass++ < PASSES_MAX) {
		size_t before = opened->fds.n;

		err = sample_threads(attaching);
		is_settled = opened->fds.n == before;
		if (!err)
			err = hear_all(attaching);
		if (!err && settle(attaching))
			is_settled = false;
	}
	/* What the last pass has taken back, then who came before that. */
	if (!err && !is_settled)
		err = sample_threads(attaching);
	if (!err && !is_settled)
		err = hear_all(attaching);
	return err ? err : sample_threads(attaching);
}

static void add_processes(struct attaching *attaching)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };

	array_each (&attaching->opened->target->pids.list, pid) {
		procs_add(attaching->procs, *pid, &records);
		hand_over(attaching, &records);
	}
}

static struct error *join_tasks(struct attaching *attaching)
{
	struct error *err = hear_all(attaching);

	if (err)
		return err;
	add_processes(attaching);
	err = sample_all(attaching);
	if (!err && !attaching->opened->fds.n)
		err = error_new("the target has ended already");
	return err;
}

static bool inherits_samples(const struct opened *opened)
{
	array_each (&opened->selection->events, event)
		if (event->attr.inherit)
			return true;
	return false;
}

struct error *attach(struct opened *opened, struct intake *intake,
	struct drain *drain, struct procs *procs)
{
	struct attaching attaching = {
		.opened = opened,
		.drain = drain,
		.procs = procs,
		.heard = { .inherits = opened->sideband_attr.inherit },
		.sampled = { .inherits = inherits_samples(opened) },
	};
	struct error *err = NULL;

	if (opened->target->kind == TARGET_SYSTEM) {
		add_system(&attaching);
	} else if (opened_is_cpu_wide(opened)) {
		add_processes(&attaching);
	} else if (opened->target->kind != TARGET_COMMAND) {
		intake_watch(intake, see_fork, &attaching);
		err = join_tasks(&attaching);
		intake_watch(intake, NULL, NULL);
	}
	task_list_free(&attaching.threads);
	joins_free(&attaching.heard);
	joins_free(&attaching.sampled);
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
		array_each (&target->pids.list, pid)
			procs_add(procs, *pid, &records);
	}
	drain_inject(drain, &records);
}
