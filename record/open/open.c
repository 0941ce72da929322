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
#include "record/open/open_task.h"
#include "record/open/stack_copy_size.h"
#include "record/queue/deferred.h"
#include "record/sys/fd_limits.h"

/*
 * If the first default event has become a software event, removes the default
 * events of the other core types: they would be the same software event.
 */
static void drop_duplicate_defaults(struct selection *selection)
{
	struct selection_event *first = &selection->events.at[0];
	size_t i, n = 1;

	if (!first->is_default || first->attr.type != PERF_TYPE_SOFTWARE)
		return;
	for (i = n; i < selection->events.n; i++)
		if (selection->events.at[i].is_default)
			selection_event_deinit(&selection->events.at[i]);
		else
			selection->events.at[n++] = selection->events.at[i];
	selection->events.n = n;
}

/*
 * Sets ID_RET to the ID of FD, the first descriptor of an event, as the
 * canonical ID of the event, and closes FD. The kernel never reuses IDs.
 * Returns 0 or an errno.
 */
static int take_canonical_id(int fd, uint64_t *id_ret)
{
	int errnum = ioctl(fd, PERF_EVENT_IOC_ID, id_ret) < 0 ? errno : 0;

	close(fd);
	return errnum;
}

/*
 * Opens EVENT on trial for thread TID, in the group of descriptor *LEADER. If
 * *LEADER is -1, EVENT becomes the leader of its group. Returns 0 or an errno.
 */
static int probe_event(struct event_fds *opened, struct selection_event *event,
	pid_t tid, int *leader)
{
	struct opener opener = *opened->opener;
	uint32_t cpu = opened->target->sampled.list.at[0];
	int fd;

	array_each(&event->cpus.list, own)
		if (cpus_has(&opened->target->sampled, *own))
			cpu = *own;
	opener.leader = leader;
	fd = open_fallback_event(&opener, event, event->is_wide ? -1 : tid,
		(int)cpu, &opened->limits);
	if (fd < 0)
		return errno;
	if (event->group && *leader < 0)
		*leader = fd;
	/*
	 * Set the ID of EVENT by its first descriptor, and close the
	 * descriptor, but not those of group leaders, which members need, and
	 * of tracepoints. Closing the last descriptor of a tracepoint waits
	 * about 30 ms until no CPU executes the tracepoint. With hundreds of
	 * tracepoints, the start would take many seconds.
	 */
	if (!event->tracepoint && !event->group)
		return take_canonical_id(fd, &event->id);
	*array_push(&opened->trials) = fd;
	return ioctl(fd, PERF_EVENT_IOC_ID, &event->id) < 0 ? errno : 0;
}

/*
 * Returns true if EVENT, which was refused in its group, is to be tried again
 * without the group: because the group is weak (modifier W), or because EVENT
 * is also refused alone.
 */
static bool leaves_group(struct event_fds *opened, size_t event, pid_t tid)
{
	struct selection_event *selected = &opened->selection->events.at[event];
	int alone = -1;

	if (!group_has_leader(opened->selection, event))
		return false;
	/* An event without samples of its own is useless without its group. */
	if (!selected->is_weak || selected->reads_counts)
		return probe_event(opened, selected, tid, &alone);
	return true;
}

/*
 * Opens each event on trial for thread TID, to find the features that the event
 * must give up. This can change the number of events.
 */
static struct error *probe_events(struct event_fds *opened, pid_t tid)
{
	struct selection *selection = opened->selection;
	struct error *err = NULL;
	int errnum, leader = -1;
	size_t i;

	for (i = 0; i < selection->events.n; i++) {
		if (!group_has_leader(selection, i))
			leader = -1;
		errnum = probe_event(
			opened, &selection->events.at[i], tid, &leader);
		if (errnum && leaves_group(opened, i, tid)) {
			group_dissolve(selection, i--);
			continue;
		}
		if (errnum)
			err = open_explain(opened, errnum, (uint32_t)i, tid);
		if (err && !selection->events.at[i].woken_at)
			return err;
		if (err)
			offcpu_drop_wakeups(selection, err);
		drop_duplicate_defaults(selection);
	}
	return NULL;
}

/*
 * Switches to a recording of all CPUs that keeps only the target's samples.
 * Returns false if this user may not sample all processes.
 */
static bool widen_to_cpus(struct event_fds *opened)
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
	array_each(&opened->selection->events, event)
		selection_event_widen(event);
	return true;
}

/* Returns the number of CPU-wide descriptors, which all threads share. */
static size_t count_wide(const struct event_fds *opened)
{
	size_t n = opened->is_wide;

	array_each(&opened->selection->events, event)
		n += event->is_wide;
	return n * opened->n_rings;
}

/* Returns whether samples contain counts, which are per thread (:S). */
static bool reads_thread_counts(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (event->reads_counts && !event->is_wide)
			return true;
	return false;
}

/*
 * Selects events per thread if the limit of descriptors allows it, else events
 * per CPU. The counts of :S are then those of all programs, so that events with
 * :S stay per thread.
 */
static struct error *fit_descriptor_limit(struct event_fds *opened)
{
	struct task_list threads = { 0 };
	size_t n;

	/* Each thread of the target needs sideband events. */
	array_each(&opened->target->pids.list, pid)
		task_list_add_threads(&threads, *pid);
	n = threads.list.n;
	task_list_free(&threads);
	size_t n_threads = n;
	size_t own = open_count_fds(opened, n_threads + 2);
	struct error *err = fd_limits_raise(own + count_wide(opened));

	if (!err || n_threads < 2 || !own ||
		reads_thread_counts(opened->selection) ||
		!widen_to_cpus(opened))
		return err;
	log_note("recording per CPU and keeping only the target's samples: %s",
		err->text);
	error_free(err);
	return fd_limits_raise(count_wide(opened));
}

/*
 * Opens the events on trial, for the first thread of the target that still
 * runs: a process can outlive its main thread.
 */
static struct error *probe_target(struct event_fds *opened)
{
	struct task_list threads = { 0 };
	pid_t first = opened->target->pids.list.n
		? opened->target->pids.list.at[0]
		: -1;
	struct error *err = NULL;
	int errnum = ESRCH;

	/*
	 * List the threads for which events can be opened on trial; -1 for the
	 * system.
	 */
	const struct target *target = opened->target;

	if (target->kind == TARGET_SYSTEM)
		task_list_add(&threads, -1);
	array_each(&target->tids.list, tid)
		task_list_add(&threads, *tid);
	if (!threads.list.n)
		array_each(&target->pids.list, pid)
			task_list_add_threads(&threads, *pid);
	array_each(&threads.list, thread) {
		first = *thread;
		/*
		 * Find the features that this kernel supports, by opening the
		 * sideband event on trial for this thread.
		 */
		struct perf_event_attr *attr = &opened->sideband_attr;
		int cpu = (int)opened->target->online.list.at[0];
		int fd = open_fallback_sideband(
			opened->opener, attr, first, cpu, &opened->limits);

		if (fd < 0 && errno == EACCES && attr->namespaces) {
			attr->namespaces = 0;
			fd = open_fallback_sideband(opened->opener, attr, first,
				cpu, &opened->limits);
			if (fd >= 0)
				log_note(
					"--namespaces needs root or CAP_PERFMON: "
					"namespaces are not recorded");
		}
		errnum = fd < 0 ? errno
				: take_canonical_id(fd, &opened->sideband_id);
		if (errnum != ESRCH)
			break;
	}
	if (errnum)
		err = open_explain(
			opened, errnum, event_fds_sideband(opened), first);
	if (!err)
		err = fit_descriptor_limit(opened);
	if (!err)
		err = probe_events(opened, opened->is_wide ? -1 : first);
	task_list_free(&threads);
	return err;
}

/* Returns whether all samples contain a stack copy. */
static bool copies_stacks(const struct selection *selection)
{
	return stack_copy_is_sampled(selection) &&
		(!selection->unwinds_in_kernel || selection->keeps_stacks);
}

static struct error *open_rings(struct event_fds *opened)
{
	const struct target *target = opened->target;
	size_t n_cpus = target->sampled.list.n;
	struct rings_plan plan = {
		.opener = opened->opener,
		.online = &target->online,
		.sampled = &target->sampled,
		.sideband = &opened->sideband_attr,
		.samples = &opened->selection->events.at[0].attr,
		.wanted = opened->config.sample_size,
		.usual = copies_stacks(opened->selection)
			? stack_copy_ring_size(opened->selection, n_cpus,
				  rings_good_size(n_cpus, geteuid() == 0))
			: 0,
	};
	struct refusal_case refused = {
		.attr = &opened->sideband_attr,
		.cpu = (int)target->online.list.at[0],
		.is_ring = true,
	};
	int errnum = rings_open(&opened->rings, &plan);

	opened->sideband = opened->rings.sideband;
	opened->samples = opened->rings.samples;
	opened->leaders = xcalloc(opened->n_rings, sizeof(*opened->leaders));
	refused.errnum = errnum;
	if (!errnum && copies_stacks(opened->selection)) {
		/*
		 * Reduce the size of stack copies so that each ring buffer
		 * holds several samples. If the user set both -m and the size
		 * of stack copies, both sizes are kept unless no sample would
		 * fit.
		 */
		size_t size = opened->rings.sample_size;
		uint32_t copy_size = plan.wanted && opened->config.has_copy_size
			? stack_copy_fit_any(opened->selection, size)
			: stack_copy_fit_ring(opened->selection, size);

		if (copy_size) {
			/*
			 * Report how many samples a ring buffer holds, and how
			 * to hold more.
			 */
			bool is_enough,
				is_locked = !plan.wanted && size != plan.usual;
			size_t n = stack_copy_samples_in_ring(
				opened->selection, size, &is_enough);
			_cleanup_free_ char *held = is_enough
				? xstrdup("the samples of 50 ms")
				: xasprintf("%zu samples", n);

			if (!is_locked)
				log_note(
					"each stack copy has %u bytes, so that a ring buffer "
					"of %zu KiB holds %s; for larger copies use %s",
					copy_size, size / 1024, held,
					plan.wanted ? "larger ring buffers (-m)"
						    : "fewer samples (-F)");
			else
				log_note(
					"each stack copy has %u bytes, so that a ring buffer "
					"of %zu KiB, the limit of locked memory, holds %s; "
					"for larger copies, as root: sysctl "
					"kernel.perf_event_mlock_kb=%zu",
					copy_size, size / 1024, held,
					(plan.usual +
						opened->rings.sideband_size) /
							1024 +
						8);
		}
	}
	return errnum ? explain_refusal(&refused) : NULL;
}

struct error *open_start(struct event_fds *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	const struct event_fds_config *config)
{
	struct error *err;

	*opened = (struct event_fds){
		.opener = opener,
		.selection = selection,
		.target = target,
		.config = *config,
		.n_rings = target->online.list.n,
		.is_wide = target->kind == TARGET_SYSTEM,
	};
	opened->sideband_attr =
		selection_sideband(!event_fds_are_cpu_wide(opened), false);
	opened->sideband_attr.namespaces = config->has_namespaces;
	opened->sideband_attr.context_switch = config->has_switches;
	opened->sideband_attr.mmap_data = config->has_data;
	deferred_request(selection, &opened->sideband_attr);
	err = cgroups_open(selection, &opened->cgroups);
	if (!err)
		err = probe_target(opened);
	if (!err)
		err = open_rings(opened);
	if (!err)
		open_kernel_start(opened);
	if (!err) {
		/*
		 * Open the events that need no running thread: events per CPU,
		 * and the events of a command before its exec.
		 */
		bool is_command = opened->target->kind == TARGET_COMMAND;
		pid_t tid = is_command ? opened->target->pids.list.at[0] : -1;
		err = NULL;

		if (is_command || event_fds_are_cpu_wide(opened))
			err = open_sideband(opened, tid);
		if (!err)
			err = open_samples(opened, -1);
		err = err || !is_command ? err : open_samples(opened, tid);
	}
	array_each(&opened->trials, fd)
		close(*fd);
	array_free(&opened->trials);
	if (err)
		return err;
	log_verbose("ring buffers of %zu KiB for samples and %zu KiB for "
		    "sideband on %zu CPUs",
		opened->rings.sample_size / 1024,
		opened->rings.sideband_size / 1024, opened->n_rings);
	return NULL;
}
