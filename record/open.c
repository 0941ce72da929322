/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "common/log.h"
#include "record/deferred.h"
#include "record/explain.h"
#include "record/limits.h"

/* What users read about it when it is refused. */
#define SIDEBAND_NAME "following mappings and forks"
#define SYSTEM_NAME "the whole system"

static bool is_cpu_wide(const struct opened *opened)
{
	return opened->target->kind == TARGET_SYSTEM;
}

static uint32_t sideband_event(const struct opened *opened)
{
	return (uint32_t)opened->selection->events.n;
}

/* Why EVENT (its size: the sideband) can't be opened for TID. */
static struct error *refuse(
	const struct opened *opened, int errnum, uint32_t event, pid_t tid)
{
	bool is_sideband = event == sideband_event(opened);
	const struct selected *selected = &opened->selection->events.at[event];
	struct refused refused = {
		.errnum = errnum,
		.name = !is_sideband          ? selected->name
			: is_cpu_wide(opened) ? SYSTEM_NAME
					      : SIDEBAND_NAME,
		.attr = is_sideband ? &opened->sideband_attr : &selected->attr,
		.pid = tid,
		.cpu = (int)opened->target->sampled.list.at[0],
	};

	return explain(&refused);
}

/* Takes ownership of FD. Returns 0 or an errno. */
static int add_fd(struct opened *opened, int fd, uint32_t event, uint32_t place)
{
	const struct opened_ring *rings = event == sideband_event(opened)
		? opened->sideband
		: opened->samples;
	struct opened_fd *new = array_push(&opened->fds);

	*new = (struct opened_fd){ .fd = fd, .event = event, .place = place };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &new->id) < 0)
		return errno;
	hash_insert(&opened->by_id, hash_words(new->id, 0),
		(uint32_t)opened->fds.n - 1);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, rings[place].owner) < 0)
		return errno;
	return 0;
}

/* Returns 0 or an errno. */
static int open_sideband_on(struct opened *opened, pid_t tid, uint32_t place)
{
	int fd = probe_sideband(opened->opener, &opened->sideband_attr, tid,
		(int)opened->target->online.list.at[place], &opened->limits);

	return fd < 0 ? errno
		      : add_fd(opened, fd, sideband_event(opened), place);
}

struct error *open_sideband(struct opened *opened, pid_t tid)
{
	uint32_t place;

	for (place = 0; place < opened->n_rings; place++) {
		int errnum = open_sideband_on(opened, tid, place);

		if (errnum)
			return errnum == ESRCH
				? NULL
				: refuse(opened, errnum, sideband_event(opened),
					  tid);
	}
	return NULL;
}

/* Whether EVENT is to be sampled on the CPU at PLACE. */
static bool is_sampled(
	const struct opened *opened, const struct selected *event, size_t place)
{
	uint32_t cpu = opened->target->online.list.at[place];

	return cpus_has(&opened->target->sampled, cpu) &&
		(!event->cpus.list.n || cpus_has(&event->cpus, cpu));
}

/* Returns 0 or an errno. */
static int open_on_cpu(
	struct opened *opened, pid_t tid, uint32_t event, uint32_t place)
{
	struct selected *selected = &opened->selection->events.at[event];
	struct opener opener =
		cgroups_opener(&opened->cgroups, event, opened->opener);
	int fd;

	if (!is_sampled(opened, selected, place))
		return 0;
	fd = probe_event(&opener, selected, tid,
		(int)opened->target->online.list.at[place], &opened->limits);
	return fd < 0 ? errno : add_fd(opened, fd, event, place);
}

struct error *open_samples(struct opened *opened, pid_t tid)
{
	uint32_t event, place;

	for (event = 0; event < opened->selection->events.n; event++)
		for (place = 0; place < opened->n_rings; place++) {
			int errnum = open_on_cpu(opened, tid, event, place);

			if (errnum == ESRCH)
				return NULL;
			if (errnum)
				return refuse(opened, errnum, event, tid);
		}
	return NULL;
}

void opened_close(struct opened *opened, size_t first_fd, size_t n)
{
	for (; n; n--, first_fd++) {
		struct opened_fd *fd = &opened->fds.at[first_fd];

		if (fd->fd >= 0)
			close(fd->fd);
		fd->fd = -1;
	}
}

size_t opened_per_thread(const struct opened *opened)
{
	size_t i, n = opened->n_rings;

	array_each (&opened->selection->events, event)
		for (i = 0; i < opened->n_rings; i++)
			n += is_sampled(opened, event, i);
	return n;
}

/* One kind of core less: all default events may have become the same one. */
static void drop_twins(struct selection *selection)
{
	struct selected *first = &selection->events.at[0];
	size_t i, n = 1;

	if (!first->is_default || first->attr.type != PERF_TYPE_SOFTWARE)
		return;
	for (i = n; i < selection->events.n; i++)
		selected_deinit(&selection->events.at[i]);
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
 * As take_id(), but keeps a tracepoint open. When the last descriptor of one is
 * closed the kernel waits until no CPU is in it any more, for some 30 ms: with
 * hundreds of tracepoints that would make the start last for many seconds.
 */
static int take_event_id(struct opened *opened, int fd, struct selected *event)
{
	if (!event->tracepoint)
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

/*
 * Finds out what each event has to give up, before anything counts on the
 * number of events.
 */
static struct error *probe_all(struct opened *opened, pid_t tid)
{
	const struct target *target = opened->target;
	size_t i;

	for (i = 0; i < opened->selection->events.n; i++) {
		struct selected *event = &opened->selection->events.at[i];
		uint32_t cpu = target->sampled.list.at[0];
		int fd, errnum;

		array_each (&event->cpus.list, own)
			if (cpus_has(&target->sampled, *own))
				cpu = *own;
		fd = probe_event(
			opened->opener, event, tid, (int)cpu, &opened->limits);
		errnum = fd < 0 ? errno : take_event_id(opened, fd, event);
		if (errnum)
			return refuse(opened, errnum, (uint32_t)i, tid);
		drop_twins(opened->selection);
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
		err = refuse(opened, errnum, sideband_event(opened), first);
	if (!err)
		err = limits_descriptors(
			(threads.list.n + 2) * opened_per_thread(opened));
	if (!err)
		err = probe_all(opened, first);
	task_list_free(&threads);
	return err;
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
	};
	struct refused refused = {
		.name = SIDEBAND_NAME,
		.attr = &opened->sideband_attr,
		.cpu = (int)target->online.list.at[0],
		.is_ring = true,
	};
	int errnum = rings_open(&opened->rings, &plan);

	opened->sideband = opened->rings.sideband;
	opened->samples = opened->rings.samples;
	refused.errnum = errnum;
	return errnum ? explain(&refused) : NULL;
}

/*
 * What the kernel tells of itself reaches only events of a whole CPU. False if
 * this kernel or user has nothing of it.
 */
static bool adapt_kernel_sideband(
	const struct opened *opened, struct perf_event_attr *attr)
{
	for (;;) {
		int fd = opened->opener->open(opened->opener->data, attr, -1,
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

static void open_kernel_on(struct opened *opened, uint32_t place)
{
	int fd =
		opened->opener->open(opened->opener->data, &opened->kernel_attr,
			-1, (int)opened->target->online.list.at[place]);

	/* It is in the list then, and closed with it. */
	if (fd >= 0 && add_fd(opened, fd, sideband_event(opened), place))
		log_verbose("an event of the kernel has no ring");
}

/*
 * Beside the sideband event and with its id, as its records have the same
 * trailer. It helps, and nothing depends on it.
 */
static void open_kernel_sideband(struct opened *opened)
{
	struct perf_event_attr attr = opened->sideband_attr;
	uint32_t place;

	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = 0;
	attr.task = attr.build_id = attr.inherit = attr.namespaces = 0;
	attr.ksymbol = attr.bpf_event = attr.text_poke = 1;
	attr.cgroup = opened->wish->has_all_cgroups;
	deferred_hide(&attr);
	if (!adapt_kernel_sideband(opened, &attr)) {
		log_verbose("what the kernel loads meanwhile isn't told");
		return;
	}
	if (opened->wish->has_all_cgroups && !attr.cgroup)
		log_note("--all-cgroups: this kernel doesn't tell of them");
	opened->kernel_attr = attr;
	for (place = 0; place < opened->n_rings; place++)
		open_kernel_on(opened, place);
}

/* What can be opened at once, because nothing runs in it yet. */
static struct error *open_whole(struct opened *opened)
{
	pid_t tid = is_cpu_wide(opened) ? -1 : opened->target->pids.list.at[0];
	struct error *err = open_sideband(opened, tid);

	return err ? err : open_samples(opened, tid);
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
	};
	opened->sideband_attr = event_sideband(!is_cpu_wide(opened), false);
	opened->sideband_attr.namespaces = wish->has_namespaces;
	deferred_ask(selection, &opened->sideband_attr);
	err = cgroups_open(
		wish->cgroups, selection->events.n, &opened->cgroups);
	if (!err)
		err = probe_target(opened);
	if (!err)
		err = open_rings(opened);
	if (!err)
		open_kernel_sideband(opened);
	if (!err && (is_cpu_wide(opened) || target->kind == TARGET_COMMAND))
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

uint32_t opened_event(const struct opened *opened, uint64_t id)
{
	uint64_t hash = hash_words(id, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&opened->by_id, hash, &probe)) != HASH_NONE)
		if (opened->fds.at[i].id == id)
			return opened->fds.at[i].event;
	return 0;
}

struct error *opened_return(struct opened *opened, uint32_t cpu)
{
	uint32_t place = 0, event;
	int errnum;

	while (opened->target->online.list.at[place] != cpu)
		place++;
	if (opened->kernel_attr.size)
		open_kernel_on(opened, place);
	if (!is_cpu_wide(opened))
		return NULL;
	errnum = open_sideband_on(opened, -1, place);
	for (event = 0; !errnum && event < sideband_event(opened); event++) {
		size_t before = opened->fds.n;

		errnum = open_on_cpu(opened, -1, event, place);
		if (!errnum && opened->fds.n > before &&
			opened->selection->events.at[event].is_on)
			ioctl(opened->fds.at[before].fd, PERF_EVENT_IOC_ENABLE,
				0);
	}
	return errnum ? error_errno(errnum, "CPU %" PRIu32, cpu) : NULL;
}

static void note_switch(const struct opened *opened, uint32_t event, bool is_on)
{
	uint32_t i;

	for (i = 0; i < sideband_event(opened); i++)
		if (event == OPENED_ALL || i == event)
			opened->selection->events.at[i].is_on = is_on;
}

/* One call for all events that this thread has opened, however many. */
void opened_enable(const struct opened *opened)
{
	note_switch(opened, OPENED_ALL, true);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

void opened_disable(void)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

/* An event's descriptor speaks for all that were inherited from it, too. */
void opened_switch(const struct opened *opened, uint32_t event, bool is_on)
{
	unsigned long request =
		is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	note_switch(opened, event, is_on);
	array_each (&opened->fds, fd)
		if (fd->event == event ||
			(event == OPENED_ALL &&
				fd->event != opened->selection->events.n))
			ioctl(fd->fd, request, 0);
}

void opened_deinit(struct opened *opened)
{
	opened_close(opened, 0, opened->fds.n);
	array_free(&opened->fds);
	hash_free(&opened->by_id);
	rings_close(&opened->rings);
	cgroups_close(&opened->cgroups);
}
