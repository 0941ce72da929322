/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/open.h"

#include <errno.h>
#include <sys/ioctl.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/event/explain.h"
#include "record/event/group.h"
#include "record/event/offcpu_events.h"
#include "record/open/open_kernel.h"
#include "record/open/open_task.h"
#include "record/open/stack_copy_size.h"
#include "record/queue/deferred.h"
#include "record/sys/fd_limits.h"

/* One kind of core less: all default events may have become the same one. */
static void drop_twins(struct selection *selection)
{
	struct selected *first = &selection->events.at[0];
	size_t i, n = 1;

	if (!first->is_default || first->attr.type != PERF_TYPE_SOFTWARE)
		return;
	for (i = n; i < selection->events.n; i++)
		if (selection->events.at[i].is_default)
			selected_deinit(&selection->events.at[i]);
		else
			selection->events.at[n++] = selection->events.at[i];
	selection->events.n = n;
}

/*
 * The id that all descriptors of an event are told by: of the first one that
 * was opened for it, because the kernel never gives an id twice.
 */
static int take_id(int fd, uint64_t *id_ret)
{
	int errnum = ioctl(fd, PERF_EVENT_IOC_ID, id_ret) < 0 ? errno : 0;

	close(fd);
	return errnum;
}

/*
 * As take_id(), but keeps what leads a group open for its members, and
 * tracepoints. When the last descriptor of one is
 * closed the kernel waits until no CPU is in it any more, for some 30 ms: with
 * hundreds of tracepoints that would make the start last for many seconds.
 */
static int take_event_id(struct opened *opened, int fd, struct selected *event)
{
	if (!event->tracepoint && !event->group)
		return take_id(fd, &event->id);
	*array_push(&opened->trials) = fd;
	return ioctl(fd, PERF_EVENT_IOC_ID, &event->id) < 0 ? errno : 0;
}

static void close_trials(struct opened *opened)
{
	array_each (&opened->trials, fd)
		close(*fd);
	array_free(&opened->trials);
}

/* A CPU that EVENT can be tried on. */
static int trial_cpu(const struct target *target, const struct selected *event)
{
	uint32_t cpu = target->sampled.list.at[0];

	array_each (&event->cpus.list, own)
		if (cpus_has(&target->sampled, *own))
			cpu = *own;
	return (int)cpu;
}

/* In the group of LEADER, which it becomes if that is -1. */
static int probe_one(struct opened *opened, struct selected *event, pid_t tid,
	int *leader)
{
	struct opener opener = *opened->opener;
	int fd;

	opener.leader = leader;
	fd = probe_event(&opener, event, event->is_wide ? -1 : tid,
		trial_cpu(opened->target, event), &opened->limits);
	if (fd < 0)
		return errno;
	if (event->group && *leader < 0)
		*leader = fd;
	return take_event_id(opened, fd, event);
}

/*
 * Whether EVENT, which was refused, has to be tried again without its group:
 * because a weak one may be given up, or because it is refused alone, too.
 */
static bool leaves_group(struct opened *opened, size_t event, pid_t tid)
{
	struct selected *selected = &opened->selection->events.at[event];
	int alone = -1;

	if (!group_has_leader(opened->selection, event))
		return false;
	/* What gives no samples of its own would be good for nothing then. */
	if (!selected->is_weak || selected->reads_counts)
		return probe_one(opened, selected, tid, &alone);
	return true;
}

/*
 * Finds out what each event has to give up, before anything counts on the
 * number of events.
 */
static struct error *probe_all(struct opened *opened, pid_t tid)
{
	struct selection *selection = opened->selection;
	struct error *err = NULL;
	int errnum, leader = -1;
	size_t i;

	for (i = 0; i < selection->events.n; i++) {
		if (!group_has_leader(selection, i))
			leader = -1;
		errnum = probe_one(opened, &selection->events.at[i], tid,
			&leader);
		if (errnum && leaves_group(opened, i, tid)) {
			group_dissolve(selection, i--);
			continue;
		}
		if (errnum)
			err = open_refuse(opened, errnum, (uint32_t)i, tid);
		if (err && !selection->events.at[i].woken_at)
			return err;
		if (err)
			offcpu_drop_wakings(selection, err);
		drop_twins(selection);
	}
	return NULL;
}

/* Finds out what this kernel knows, with TID. Returns 0 or an errno. */
static int find_limits(struct opened *opened, pid_t tid)
{
	struct perf_event_attr *attr = &opened->sideband_attr;
	int cpu = (int)opened->target->online.list.at[0];
	int fd =
		probe_sideband(opened->opener, attr, tid, cpu, &opened->limits);

	if (fd < 0 && errno == EACCES && attr->namespaces) {
		attr->namespaces = 0;
		fd = probe_sideband(
			opened->opener, attr, tid, cpu, &opened->limits);
		if (fd >= 0)
			log_note("--namespaces needs root or CAP_PERFMON: "
				 "they are left out");
	}
	return fd < 0 ? errno : take_id(fd, &opened->sideband_id);
}

/* Threads of the target to try things with; -1 for the system. */
static void list_threads(const struct target *target, struct task_list *ret)
{
	if (target->kind == TARGET_SYSTEM)
		task_list_add(ret, -1);
	array_each (&target->tids.list, tid)
		task_list_add(ret, *tid);
	if (!ret->list.n)
		array_each (&target->pids.list, pid)
			task_list_add_threads(ret, *pid);
}

/*
 * Makes it a recording of the whole system, of which only the target's samples
 * are kept. False if this user may not see the system.
 */
static bool widen(struct opened *opened)
{
	struct perf_event_attr attr = opened->sideband_attr;
	int fd;

	attr.inherit = 0;
	fd = opened->opener->open(opened->opener, &attr, -1,
		(int)opened->target->online.list.at[0]);
	if (fd < 0)
		return false;
	close(fd);
	opened->is_wide = true;
	opened->sideband_attr = attr;
	array_each (&opened->selection->events, event)
		selected_widen(event);
	return true;
}

/* Descriptors of whole CPUs, once for all threads; 0: none. */
static size_t count_wide(const struct opened *opened)
{
	size_t n = opened->is_wide;

	array_each (&opened->selection->events, event)
		n += event->is_wide;
	return n * opened->n_rings;
}

/* All of the target's processes: the sideband is of each. */
static size_t count_threads(const struct target *target)
{
	struct task_list threads = { 0 };
	size_t n;

	array_each (&target->pids.list, pid)
		task_list_add_threads(&threads, *pid);
	n = threads.list.n;
	task_list_free(&threads);
	return n;
}

/* Threads have descriptors of their own if so many are allowed. */
static struct error *fit_limits(struct opened *opened)
{
	size_t n_threads = count_threads(opened->target);
	size_t own = open_for_threads(opened, n_threads + 2);
	struct error *err = limits_descriptors(own + count_wide(opened));

	if (!err || n_threads < 2 || !own || !widen(opened))
		return err;
	log_note("whole CPUs are recorded, and only the target's samples kept, "
		 "because %s",
		err->text);
	error_free(err);
	return limits_descriptors(count_wide(opened));
}

/* With the first thread that lives: a process may outlive its main thread. */
static struct error *probe_target(struct opened *opened)
{
	struct task_list threads = { 0 };
	pid_t first = opened->target->pids.list.n
		? opened->target->pids.list.at[0]
		: -1;
	struct error *err = NULL;
	int errnum = ESRCH;

	list_threads(opened->target, &threads);
	array_each (&threads.list, thread) {
		first = *thread;
		errnum = find_limits(opened, first);
		if (errnum != ESRCH)
			break;
	}
	if (errnum)
		err = open_refuse(
			opened, errnum, opened_sideband(opened), first);
	if (!err)
		err = fit_limits(opened);
	if (!err)
		err = probe_all(opened, opened->is_wide ? -1 : first);
	task_list_free(&threads);
	return err;
}

/* Of a ring for samples, where copies of stacks decide; else 0. */
static size_t usual_size(const struct opened *opened)
{
	size_t n = opened->target->sampled.list.n;

	if (!dumping_is_wanted(opened->selection))
		return 0;
	return dumping_ring_size(opened->selection, n,
		rings_good_size(n, geteuid() == 0));
}

/* What a ring of SIZE holds now, and what would let it hold more. */
static void tell_dump(const struct opened *opened,
	const struct rings_plan *plan, uint32_t dump, size_t size)
{
	bool is_enough, is_locked = !plan->wanted && size != plan->usual;
	size_t n = dumping_held(opened->selection, size, &is_enough);
	_cleanup_free_ char *held = is_enough
		? xstrdup("the samples of 50 ms")
		: xasprintf("%zu samples", n);

	if (!is_locked)
		log_note("%u bytes of each stack are copied, so that a ring of "
			 "%zu KiB holds %s; %s allow more",
			dump, size / 1024, held,
			plan->wanted ? "larger rings (-m)"
				     : "fewer samples (-F)");
	else
		log_note("%u bytes of each stack are copied, so that a ring of "
			 "%zu KiB, which is all that may be locked, holds %s; "
			 "more, as root: sysctl kernel.perf_event_mlock_kb=%zu",
			dump, size / 1024, held,
			(plan->usual + opened->rings.sideband_size) / 1024 +
				8);
}

/*
 * Copies of stacks are so large that the rings hold some; PLAN is theirs. Who
 * names both sizes gets both, unless nothing could be recorded so.
 */
static void fit_dumps(struct opened *opened, const struct rings_plan *plan)
{
	size_t size = opened->rings.sample_size;
	uint32_t dump = plan->wanted && opened->wish->has_dump_size
		? dumping_fit_any(opened->selection, size)
		: dumping_fit_ring(opened->selection, size);

	if (dump)
		tell_dump(opened, plan, dump, size);
}

static struct error *open_rings(struct opened *opened)
{
	const struct target *target = opened->target;
	struct rings_plan plan = {
		.opener = opened->opener,
		.online = &target->online,
		.sampled = &target->sampled,
		.sideband = &opened->sideband_attr,
		.samples = &opened->selection->events.at[0].attr,
		.wanted = opened->wish->sample_size,
		.usual = usual_size(opened),
	};
	struct refused refused = {
		.name = OPEN_SIDEBAND_NAME,
		.attr = &opened->sideband_attr,
		.cpu = (int)target->online.list.at[0],
		.is_ring = true,
	};
	int errnum = rings_open(&opened->rings, &plan);

	opened->sideband = opened->rings.sideband;
	opened->samples = opened->rings.samples;
	opened->leaders = xcalloc(opened->n_rings, sizeof(*opened->leaders));
	refused.errnum = errnum;
	if (!errnum && dumping_is_wanted(opened->selection))
		fit_dumps(opened, &plan);
	return errnum ? explain(&refused) : NULL;
}

/*
 * What can be opened at once, because it is of CPUs, or nothing runs in it yet.
 */
static struct error *open_whole(struct opened *opened)
{
	bool is_command = opened->target->kind == TARGET_COMMAND;
	pid_t tid = is_command ? opened->target->pids.list.at[0] : -1;
	struct error *err = NULL;

	if (is_command || opened_is_cpu_wide(opened))
		err = open_sideband(opened, tid);
	if (!err)
		err = open_samples(opened, -1);
	return err || !is_command ? err : open_samples(opened, tid);
}

struct error *open_start(struct opened *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	const struct open_wish *wish)
{
	struct error *err;

	*opened = (struct opened){
		.opener = opener,
		.selection = selection,
		.target = target,
		.wish = wish,
		.n_rings = target->online.list.n,
		.is_wide = target->kind == TARGET_SYSTEM,
	};
	opened->sideband_attr =
		event_sideband(!opened_is_cpu_wide(opened), false);
	opened->sideband_attr.namespaces = wish->has_namespaces;
	opened->sideband_attr.context_switch = wish->has_switches;
	opened->sideband_attr.mmap_data = wish->has_data;
	deferred_ask(selection, &opened->sideband_attr);
	err = cgroups_open(
		wish->cgroups, selection->events.n, &opened->cgroups);
	if (!err)
		err = probe_target(opened);
	if (!err)
		err = open_rings(opened);
	if (!err)
		open_kernel_start(opened);
	if (!err)
		err = open_whole(opened);
	close_trials(opened);
	if (err)
		return err;
	log_verbose("rings of %zu KiB for samples and %zu KiB for sideband on "
		    "%zu CPUs",
		opened->rings.sample_size / 1024,
		opened->rings.sideband_size / 1024, opened->n_rings);
	return NULL;
}
