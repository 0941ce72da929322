/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "common/log.h"
#include "record/deferred.h"
#include "record/explain.h"

#define SAMPLE_SIZE_ROOT MIB(1)
#define SAMPLE_SIZE_USER KIB(512)
#define SIDEBAND_SIZE KIB(128)
/* What users read about it when it is refused. */
#define SIDEBAND_NAME "following mappings and forks"
/* Below this samples give no more room to the sideband. */
#define SAMPLE_SIZE_SMALL KIB(64)

static struct opened_ring *ring_of(
	struct opened *opened, const struct opened_fd *opened_fd)
{
	bool is_sideband = opened_fd->event == opened->selection->events.n;

	return (is_sideband ? opened->sideband : opened->samples) +
		opened_fd->place;
}

static void unmap_all(struct opened *opened)
{
	size_t i;

	for (i = 0; i < opened->n_rings; i++) {
		ring_unmap(&opened->sideband[i].ring);
		ring_unmap(&opened->samples[i].ring);
	}
}

/* Maps the ring that FD owns, or redirects FD to its CPU's ring. */
static int attach_fd(struct opened *opened, const struct opened_fd *fd)
{
	struct opened_ring *ring = ring_of(opened, fd);
	bool is_sideband = fd->event == opened->selection->events.n;

	if (ring->owner < 0)
		ring->owner = fd->fd;
	if (ring->owner == fd->fd)
		return ring_map(&ring->ring, fd->fd,
			is_sideband ? opened->sideband_size
				    : opened->sample_size);
	if (ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->owner) < 0)
		return errno;
	return 0;
}

static int attach_all(struct opened *opened)
{
	int errnum = 0;

	unmap_all(opened);
	array_each(&opened->fds, fd) {
		errnum = attach_fd(opened, fd);
		if (errnum)
			break;
	}
	return errnum;
}

static bool halve(struct opened *opened)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (opened->sample_size > SAMPLE_SIZE_SMALL) {
		opened->sample_size /= 2;
	} else if (opened->sideband_size > page) {
		opened->sideband_size /= 2;
		opened->sample_size = MAX(opened->sample_size / 2, page);
	} else {
		return false;
	}
	return true;
}

static int shrink(struct opened *opened)
{
	int errnum = EPERM;

	while ((errnum == EPERM || errnum == ENOMEM) && halve(opened))
		errnum = attach_all(opened);
	/* Who asked for nothing gets what fits without a word. */
	if (!errnum && !opened->has_shrunk && opened->is_size_asked)
		log_note("rings of %zu KiB per CPU is all that may be locked; "
			 "more, as root: sysctl kernel.perf_event_mlock_kb=%zu",
			opened->sample_size / 1024,
			opened->wanted_size / 1024 + 8);
	opened->has_shrunk |= !errnum;
	return errnum;
}

/* Takes ownership of FD. Returns 0 or an errno. */
static int add_fd(
	struct opened *opened, int fd, uint32_t event, uint32_t place)
{
	struct opened_fd *new = array_push(&opened->fds);
	int errnum;

	*new = (struct opened_fd){ .fd = fd, .event = event, .place = place };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &new->id) < 0)
		return errno;
	hash_insert(&opened->by_id, hash_words(new->id, 0),
		(uint32_t)opened->fds.n - 1);
	errnum = attach_fd(opened, new);
	if (errnum == EPERM || errnum == ENOMEM)
		errnum = shrink(opened);
	return errnum;
}

static bool is_cpu_wide(const struct opened *opened)
{
	return opened->target->kind == TARGET_SYSTEM;
}

/* Why EVENT (its size: the sideband) can't be opened, or its ring mapped. */
static struct error *refuse(const struct opened *opened, uint32_t event,
	pid_t tid, int cpu, bool is_ring)
{
	bool is_sideband = event == opened->selection->events.n;
	struct refused refused = {
		.errnum = errno,
		.name = is_sideband ? SIDEBAND_NAME
				    : opened->selection->events.at[event].name,
		.attr = is_sideband ? &opened->sideband_attr
				    : &opened->selection->events.at[event].attr,
		.pid = tid,
		.cpu = cpu,
		.is_ring = is_ring,
	};

	return explain(&refused);
}

struct error *open_sideband(struct opened *opened, pid_t tid)
{
	uint32_t i;

	for (i = 0; i < opened->n_rings; i++) {
		int cpu = (int)opened->target->online.list.at[i];
		uint32_t event = (uint32_t)opened->selection->events.n;
		int fd = probe_sideband(opened->opener, &opened->sideband_attr,
			tid, cpu, &opened->limits);

		if (fd >= 0) {
			errno = add_fd(opened, fd, event, i);
			if (!errno)
				continue;
		}
		return errno == ESRCH && opened->fds.n
			? NULL
			: refuse(opened, event, tid, cpu, fd >= 0);
	}
	return NULL;
}

static struct error *open_on_cpu(
	struct opened *opened, pid_t tid, uint32_t event, uint32_t place)
{
	struct selected *selected = &opened->selection->events.at[event];
	uint32_t cpu = opened->target->online.list.at[place];
	int fd;

	if (!cpus_has(&opened->target->sampled, cpu) ||
		(selected->cpus.list.n && !cpus_has(&selected->cpus, cpu)))
		return NULL;
	fd = probe_event(
		opened->opener, selected, tid, (int)cpu, &opened->limits);
	if (fd >= 0)
		errno = add_fd(opened, fd, event, place);
	if (fd >= 0 && !errno)
		return NULL;
	/* An owner is not replaced: that thread was there a moment ago. */
	if (errno == ESRCH && opened->samples[place].owner >= 0)
		return NULL;
	return refuse(opened, event, tid, (int)cpu, fd >= 0);
}

struct error *open_samples(struct opened *opened, pid_t tid)
{
	uint32_t event, place;
	struct error *err;

	for (event = 0; event < opened->selection->events.n; event++)
		for (place = 0; place < opened->n_rings; place++) {
			err = open_on_cpu(opened, tid, event, place);
			if (err)
				return err;
		}
	return NULL;
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
		int fd;

		array_each(&event->cpus.list, own)
			if (cpus_has(&target->sampled, *own))
				cpu = *own;
		fd = probe_event(opened->opener, event, tid, (int)cpu,
			&opened->limits);
		if (fd < 0)
			return refuse(opened, (uint32_t)i, tid, (int)cpu,
				false);
		close(fd);
		drop_twins(opened->selection);
	}
	return NULL;
}

/* Finds out what this kernel knows, with TID. Returns 0 or an errno. */
static int find_limits(struct opened *opened, pid_t tid)
{
	int fd = probe_sideband(opened->opener, &opened->sideband_attr, tid,
		(int)opened->target->online.list.at[0], &opened->limits);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* A recording of many threads needs many descriptors. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The first thread that lives: a process may outlive its main thread. */
static struct error *find_first(struct opened *opened)
{
	const struct target *target = opened->target;
	struct task_list tasks = { 0 };
	int errnum = ESRCH;

	if (target->kind == TARGET_SYSTEM)
		*array_push(&tasks.list) = -1;
	array_each(&target->tids.list, tid)
		*array_push(&tasks.list) = *tid;
	if (!tasks.list.n)
		array_each(&target->pids.list, pid)
			target_threads(*pid, &tasks);
	array_each(&tasks.list, task) {
		opened->first = *task;
		errnum = find_limits(opened, *task);
		if (errnum != ESRCH)
			break;
	}
	array_free(&tasks.list);
	errno = errnum;
	return errnum ? refuse(opened, (uint32_t)opened->selection->events.n,
				opened->first,
				(int)target->online.list.at[0], false)
		      : NULL;
}

static void set_canonical_ids(struct opened *opened)
{
	size_t i = opened->fds.n;

	while (i-- > 0) {
		const struct opened_fd *fd = &opened->fds.at[i];

		if (fd->event == opened->selection->events.n)
			opened->sideband_id = fd->id;
		else
			opened->selection->events.at[fd->event].id = fd->id;
	}
}

struct error *open_start(struct opened *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	size_t sample_size)
{
	size_t good_size = geteuid() == 0 ? SAMPLE_SIZE_ROOT : SAMPLE_SIZE_USER;
	struct error *err;
	size_t i;

	*opened = (struct opened){
		.opener = opener,
		.selection = selection,
		.target = target,
		.n_rings = target->online.list.n,
		.sample_size = sample_size ? sample_size : good_size,
		.is_size_asked = sample_size,
		.sideband_size = SIDEBAND_SIZE,
	};
	opened->wanted_size = opened->sample_size + opened->sideband_size;
	opened->sideband = xcalloc(opened->n_rings, sizeof(struct opened_ring));
	opened->samples = xcalloc(opened->n_rings, sizeof(struct opened_ring));
	for (i = 0; i < opened->n_rings; i++)
		opened->sideband[i].owner = opened->samples[i].owner = -1;
	opened->sideband_attr =
		event_sideband(!is_cpu_wide(opened), is_cpu_wide(opened));
	deferred_ask(selection, &opened->sideband_attr);
	raise_limit();
	err = find_first(opened);
	if (!err)
		err = probe_all(opened, opened->first);
	if (!err)
		err = open_sideband(opened, opened->first);
	if (!err)
		err = open_samples(opened, opened->first);
	opened->first_time = clock_now_ns();
	if (err)
		return err;
	set_canonical_ids(opened);
	log_verbose("rings of %zu KiB for samples and %zu KiB for sideband on "
		    "%zu CPUs",
		opened->sample_size / 1024, opened->sideband_size / 1024,
		opened->n_rings);
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

/* One call for all events that this thread has opened, however many. */
void opened_enable(void)
{
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

	array_each(&opened->fds, fd)
		if (fd->event == event ||
			(event == OPENED_ALL &&
				fd->event != opened->selection->events.n))
			ioctl(fd->fd, request, 0);
}

void opened_deinit(struct opened *opened)
{
	if (!opened->n_rings)
		return;
	unmap_all(opened);
	array_each(&opened->fds, fd)
		close(fd->fd);
	array_free(&opened->fds);
	hash_free(&opened->by_id);
	free(opened->sideband);
	free(opened->samples);
}
