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

/*
 * Limits the passes over /proc: on a busy machine, each pass finds new
 * processes.
 */
#define PASSES_MAX 10
/*
 * The ring buffers are drained after the events of this number of threads were
 * opened.
 */
#define THREADS_PER_ROUND 16

struct attachment {
	struct event_fds *opened;
	struct drain *drain;
	struct synth_procs *procs;
	struct task_list threads; /* threads of the processes of the target,
				     without duplicates */
	size_t n_with_sideband;	  /* number of THREADS whose sideband events are
				     open */
	size_t n_opened;	  /* number of calls of open_thread() */
	struct joins sideband, sampled;
};

static void add_fork_to_joins(void *data, const struct record_task *fork)
{
	struct attachment *attachment = data;

	joins_add_fork(&attachment->sideband, fork);
	joins_add_fork(&attachment->sampled, fork);
}

/*
 * Adds RECORDS to the sideband and drains the ring buffers before they fill up.
 */
static void inject_records(
	struct attachment *attachment, struct strbuf *records)
{
	drain_inject(attachment->drain, records);
	strbuf_clear(records);
	drain_round(attachment->drain);
}

/* Opens the events of thread TID with OPEN, and records the time in JOINS. */
static struct error *open_thread(struct attachment *attachment,
	struct joins *joins, pid_t tid,
	struct error *(*open)(struct event_fds *opened, pid_t tid))
{
	struct event_fds *opened = attachment->opened;
	struct join *join = joins_get(joins, tid);
	struct error *err;

	join->begin = clocks_now();
	join->first_fd = opened->fds.n;
	err = open(opened, tid);
	join->n_fds = opened->fds.n - join->first_fd;
	join->end = clocks_now();
	join->root = tid;
	if (++attachment->n_opened % THREADS_PER_ROUND == 0)
		drain_round(attachment->drain);
	return err;
}

static struct error *open_all_sideband(struct attachment *attachment)
{
	struct error *err;
	size_t before;

	do {
		before = attachment->n_with_sideband;
		/*
		 * Open the sideband events of each thread. If a thread has two
		 * sideband events on a CPU, its records are only duplicated.
		 */
		struct task_list *threads = &attachment->threads;
		err = NULL;

		array_each(&attachment->opened->target->pids.list, pid)
			task_list_add_threads(threads, *pid);
		if (attachment->n_with_sideband < threads->list.n)
			err = fd_limits_raise(open_count_fds(attachment->opened,
				attachment->threads.list.n + 2));
		drain_round(attachment->drain);
		while (!err && attachment->n_with_sideband < threads->list.n) {
			pid_t tid =
				threads->list.at[attachment->n_with_sideband++];

			if (joins_relation(&attachment->sideband, tid) !=
				JOIN_INHERITS)
				err = open_thread(attachment,
					&attachment->sideband, tid,
					open_sideband);
			else
				joins_get(&attachment->sideband, tid)->root =
					joins_parent_root(
						&attachment->sideband, tid);
		}
	} while (!err && attachment->n_with_sideband > before);
	return err;
}

/*
 * Marks TID as sampled by events that it inherited from its parent. Closes the
 * sample events that were opened for TID itself, which would sample TID twice.
 */
static void join_parent(struct attachment *attachment, pid_t tid)
{
	struct joins *joins = &attachment->sampled;
	const struct join *join = joins_get(joins, tid);

	if (join->root == tid)
		event_fds_close(
			attachment->opened, join->first_fd, join->n_fds);
	if (join->root)
		joins_replace_root(
			joins, join->root, joins_parent_root(joins, tid));
	else
		joins_get(joins, tid)->root = joins_parent_root(joins, tid);
}

/*
 * Handles threads that were created while the events of their parents were
 * opened. Returns true if events were closed, so that another pass is needed.
 */
static bool resolve_doubtful_threads(struct attachment *attachment)
{
	struct joins *joins = &attachment->sampled;
	bool has_changed = false;
	size_t i;

	for (i = 0; i < joins->list.n; i++) {
		struct join join = joins->list.at[i];
		enum join_relation relation = joins_relation(joins, join.tid);

		/*
		 * A thread that has ended and has no child that can have
		 * inherited events needs no other pass.
		 */
		if (relation == JOIN_INHERITS && join.root == join.tid) {
			join_parent(attachment, join.tid);
		} else if (relation == JOIN_UNSURE &&
			(join.last_child || kill(join.tid, 0) >= 0 ||
				errno != ESRCH)) {
			/*
			 * Close the sample events that were opened for ROOT,
			 * which also closes the events that other threads
			 * inherited from ROOT.
			 */
			pid_t root = joins_parent_root(joins, join.tid);
			const struct join *opened = joins_get(joins, root);

			log_verbose("thread %d created another one while its "
				    "events were opened: opening them again",
				(int)root);
			event_fds_close(attachment->opened, opened->first_fd,
				opened->n_fds);
			joins_remove_root(joins, root);
		} else {
			continue;
		}
		has_changed = true;
	}
	return has_changed;
}

/* Opens the sample events of all threads that have no sample events. */
static struct error *sample_threads(struct attachment *attachment)
{
	const struct target *target = attachment->opened->target;
	const struct task_list *tasks = target->kind == TARGET_THREADS
		? &target->tids
		: &attachment->threads;
	struct joins *joins = &attachment->sampled;
	struct error *err = NULL;
	size_t i;

	joins_inherit_roots(joins);
	for (i = 0; i < tasks->list.n && !err; i++) {
		pid_t tid = tasks->list.at[i];

		if (joins_get(joins, tid)->root)
			continue;
		if (joins_relation(joins, tid) == JOIN_APART)
			err = open_thread(attachment, joins, tid, open_samples);
		else
			join_parent(attachment, tid);
	}
	return err;
}

static void inject_processes(struct attachment *attachment)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };

	array_each(&attachment->opened->target->pids.list, pid) {
		synth_procs_add(attachment->procs, *pid, &records);
		inject_records(attachment, &records);
	}
}

static struct error *join_tasks(struct attachment *attachment)
{
	struct error *err = open_all_sideband(attachment);

	if (err)
		return err;
	inject_processes(attachment);
	/*
	 * Open the sample events of all threads. Repeat this until a pass
	 * opens no event, so that the events of each thread are certain.
	 */
	const struct event_fds *opened = attachment->opened;
	bool is_settled = false;
	err = NULL;
	unsigned pass = 0;

	while (!err && !is_settled && pass++ < PASSES_MAX) {
		size_t before = opened->fds.n;

		err = sample_threads(attachment);
		is_settled = opened->fds.n == before;
		if (!err)
			err = open_all_sideband(attachment);
		if (!err && resolve_doubtful_threads(attachment))
			is_settled = false;
	}
	/*
	 * Open the events again that the last pass closed, then the events of
	 * threads created meanwhile.
	 */
	if (!err && !is_settled)
		err = sample_threads(attachment);
	if (!err && !is_settled)
		err = open_all_sideband(attachment);
	err = err ? err : sample_threads(attachment);
	if (!err && !attachment->opened->fds.n)
		err = error_new("cannot record: the target has ended");
	return err;
}

struct error *attach_running(struct event_fds *opened, struct intake *intake,
	struct drain *drain, struct synth_procs *procs)
{
	struct attachment attachment = {
		.opened = opened,
		.drain = drain,
		.procs = procs,
		.sideband = { .inherits = opened->sideband_attr.inherit },
	};
	struct error *err = NULL;

	array_each(&opened->selection->events, event)
		attachment.sampled.inherits |= event->attr.inherit;
	if (opened->target->kind == TARGET_SYSTEM) {
		_cleanup_strbuf_ struct strbuf records = { 0 };
		size_t n_new = 1;
		unsigned pass;

		for (pass = 0; pass < PASSES_MAX && n_new; pass++) {
			while (synth_procs_add_some(
				attachment.procs, &records, &n_new))
				inject_records(&attachment, &records);
			inject_records(&attachment, &records);
		}
	} else if (event_fds_are_cpu_wide(opened)) {
		inject_processes(&attachment);
	} else if (opened->target->kind != TARGET_COMMAND) {
		intake_on_fork(intake, add_fork_to_joins, &attachment);
		err = join_tasks(&attachment);
		intake_on_fork(intake, NULL, NULL);
	}
	task_list_free(&attachment.threads);
	joins_free(&attachment.sideband);
	joins_free(&attachment.sampled);
	return err;
}

void attach_running_resync(const struct target *target, struct drain *drain,
	struct synth_procs *procs, uint64_t time)
{
	_cleanup_strbuf_ struct strbuf records = { 0 };
	size_t n_new;

	synth_procs_forget(procs);
	synth_procs_set_time(procs, time);
	if (target->kind == TARGET_SYSTEM) {
		while (synth_procs_add_some(procs, &records, &n_new))
			;
	} else {
		array_each(&target->pids.list, pid)
			synth_procs_add(procs, *pid, &records);
	}
	drain_inject(drain, &records);
}
