/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/open_task.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/ioctl.h>

#include "common/perf/abi.h"
#include "common/perf/attr.h"
#include "common/util/log.h"
#include "record/event/explain.h"
#include "record/event/group.h"
#include "record/queue/deferred.h"

/*
 * Removes from ATTR the types of kernel records that this kernel lacks. The
 * kernel writes these records to events per CPU only. Returns false if the
 * kernel has none of the types or refuses such an event to the user.
 */
static bool adapt_kernel_sideband(
	const struct event_fds *opened, struct perf_event_attr *attr)
{
	for (;;) {
		int fd = opened->opener->open(opened->opener, attr, -1,
			(int)opened->target->online.list.at[0]);

		if (fd >= 0) {
			close(fd);
			return true;
		}
		if (errno != EINVAL || !attr->ksymbol)
			return false;
		if (attr->text_poke) /* Linux 5.8 */
			attr->text_poke = 0;
		else if (attr->cgroup) /* 5.7 */
			attr->cgroup = 0;
		else /* 5.1 */
			attr->ksymbol = attr->bpf_event = 0;
	}
}

static void open_kernel_event_on(struct event_fds *opened, uint32_t place)
{
	int fd = opened->opener->open(opened->opener, &opened->kernel_attr, -1,
		(int)opened->target->online.list.at[place]);

	/*
	 * If event_fds_add() fails, it has added the descriptor to opened->fds
	 * nevertheless, which closes it.
	 */
	if (fd >= 0 &&
		event_fds_add(opened, fd, event_fds_sideband(opened), place))
		log_verbose("an event for kernel records has no ring buffer");
}

void open_kernel_start(struct event_fds *opened)
{
	struct perf_event_attr attr = opened->sideband_attr;
	uint32_t place;

	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = 0;
	attr.task = attr.inherit = attr.namespaces = 0;
	attr_set_flags(
		&attr, attr_flags(&attr) & ~(UINT64_C(1) << ABI_FLAG_BUILD_ID));
	attr.mmap_data = attr.context_switch = 0;
	attr.ksymbol = attr.bpf_event = attr.text_poke = 1;
	attr.cgroup = opened->config.has_all_cgroups;
	deferred_clear_request(&attr);
	if (!adapt_kernel_sideband(opened, &attr)) {
		log_verbose("kernel modules and BPF programs that are loaded "
			    "later are not recorded");
		return;
	}
	if (opened->config.has_all_cgroups && !attr.cgroup)
		log_note("--all-cgroups: this kernel does not support CGROUP "
			 "records; only the cgroups that exist now are "
			 "recorded");
	opened->kernel_attr = attr;
	for (place = 0; place < opened->n_rings; place++)
		open_kernel_event_on(opened, place);
}

struct error *open_explain(
	const struct event_fds *opened, int errnum, uint32_t event, pid_t tid)
{
	bool is_sideband = event == event_fds_sideband(opened);
	const struct selection_event *selected =
		&opened->selection->events.at[event];
	struct refusal_case refused = {
		.errnum = errnum,
		.name = is_sideband ? NULL : selected->name,
		.attr = is_sideband ? &opened->sideband_attr : &selected->attr,
		.pid = tid,
		.cpu = (int)opened->target->sampled.list.at[0],
		.is_member = !is_sideband &&
			group_has_leader(opened->selection, event),
		.has_cgroup = !is_sideband && selected->cgroup,
	};

	return explain_refusal(&refused);
}

/* Returns 0 or an errno. */
static int open_sideband_on(struct event_fds *opened, pid_t tid, uint32_t place)
{
	int fd = open_fallback_sideband(opened->opener, &opened->sideband_attr,
		tid, (int)opened->target->online.list.at[place],
		&opened->limits);

	return fd < 0
		? errno
		: event_fds_add(opened, fd, event_fds_sideband(opened), place);
}

struct error *open_sideband(struct event_fds *opened, pid_t tid)
{
	uint32_t place;

	for (place = 0; place < opened->n_rings; place++) {
		int errnum = open_sideband_on(opened, tid, place);

		if (errnum)
			return errnum == ESRCH
				? NULL
				: open_explain(opened, errnum,
					  event_fds_sideband(opened), tid);
	}
	return NULL;
}

/*
 * Returns true if EVENT is sampled on the CPU with index PLACE in
 * target.online.
 */
static bool is_sampled_on_place(const struct event_fds *opened,
	const struct selection_event *event, size_t place)
{
	uint32_t cpu = opened->target->online.list.at[place];

	return cpus_has(&opened->target->sampled, cpu) &&
		(!event->cpus.list.n || cpus_has(&event->cpus, cpu));
}

/* Returns 0 or an errno. */
static int open_on_cpu(
	struct event_fds *opened, pid_t tid, uint32_t event, uint32_t place)
{
	struct selection_event *selected = &opened->selection->events.at[event];
	struct opener opener =
		cgroups_opener(&opened->cgroups, event, opened->opener);
	int fd;

	if (!group_has_leader(opened->selection, event))
		opened->leaders[place] = -1;
	if (selected->is_wide != (tid < 0) ||
		!is_sampled_on_place(opened, selected, place))
		return 0;
	opener.leader = &opened->leaders[place];
	fd = open_fallback_event(&opener, selected, tid,
		(int)opened->target->online.list.at[place], &opened->limits);
	if (fd < 0)
		return errno;
	if (opened->leaders[place] < 0)
		opened->leaders[place] = fd;
	return event_fds_add(opened, fd, event, place);
}

struct error *open_samples(struct event_fds *opened, pid_t tid)
{
	uint32_t event, place;

	for (event = 0; event < opened->selection->events.n; event++)
		for (place = 0; place < opened->n_rings; place++) {
			int errnum = open_on_cpu(opened, tid, event, place);

			if (errnum == ESRCH)
				return NULL;
			if (errnum)
				return open_explain(opened, errnum, event, tid);
		}
	return NULL;
}

size_t open_count_fds(const struct event_fds *opened, size_t n_threads)
{
	const struct target *target = opened->target;
	size_t n_sampled = target->kind == TARGET_THREADS ? target->tids.list.n
							  : n_threads;
	size_t i, n = opened->is_wide ? 0 : n_threads * opened->n_rings;

	array_each(&opened->selection->events, event)
		for (i = 0; i < opened->n_rings && !event->is_wide; i++)
			n += is_sampled_on_place(opened, event, i) * n_sampled;
	return n;
}

struct error *open_cpu_again(struct event_fds *opened, uint32_t cpu)
{
	size_t first_fd = opened->fds.n;
	uint32_t place = 0, event;
	int errnum;

	while (opened->target->online.list.at[place] != cpu)
		place++;
	if (opened->kernel_attr.size)
		open_kernel_event_on(opened, place);
	errnum = event_fds_are_cpu_wide(opened)
		? open_sideband_on(opened, -1, place)
		: 0;
	for (event = 0; !errnum && event < event_fds_sideband(opened); event++)
		errnum = open_on_cpu(opened, -1, event, place);
	/*
	 * Enable the new events after all are open, because enabling a leader
	 * starts its group.
	 */
	size_t i;

	for (i = first_fd; i < opened->fds.n; i++) {
		const struct event_fd *fd = &opened->fds.at[i];

		if (fd->event != event_fds_sideband(opened) &&
			opened->selection->events.at[fd->event].is_on)
			ioctl(fd->fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	return errnum ? error_errno(errnum, "CPU %" PRIu32, cpu) : NULL;
}
