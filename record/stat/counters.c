/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stat/counters.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "common/util/log.h"
#include "record/event/explain.h"
#include "record/event/group.h"
#include "record/sys/fd_limits.h"

#define READ_TRIES 50u
#define READ_AGAIN_US 200u

/* Closes the last event that was opened. */
static void close_last(struct counters *counters, struct counters_event *event)
{
	while (counters->fds.n > event->first) {
		int fd = counters->fds.at[--counters->fds.n].fd;

		if (fd >= 0)
			close(fd);
	}
	event->n = 0;
	event->is_supported = false;
}

/*
 * Returns whether ERRNUM means that the hardware of this machine does not have
 * the event.
 */
static bool is_lacking(const struct selection_event *event, int errnum)
{
	const struct perf_event_attr *attr = &event->attr;
	bool is_hardware = attr->type == PERF_TYPE_HARDWARE ||
		attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW ||
		(attr->type >= PERF_TYPE_MAX && !event->probed);

	return is_hardware &&
		(errnum == ENOENT || errnum == ENODEV || errnum == ENXIO ||
			errnum == EINVAL || errnum == EOPNOTSUPP);
}

/*
 * Opens the event of FD at its place, in the group of the descriptor *LEADER
 * (NULL or -1: alone). Returns 0 or an errno. A thread that has ended and a CPU
 * that does not have the event are left out.
 */
static int open_place(
	struct counters *counters, struct event_fd *fd, const int *leader)
{
	struct selection_event *selected =
		&counters->selection->events.at[fd->event];
	struct opener opener =
		cgroups_opener(&counters->cgroups, fd->event, counters->opener);
	int place = (int)fd->place;

	if (selected->is_wide && selected->cpus.list.n &&
		!cpus_has(&selected->cpus, fd->place))
		return 0;
	opener.leader = leader;
	fd->fd = selected->is_wide ? open_fallback_event(&opener, selected, -1,
					     place, counters->limits)
				   : open_fallback_event(&opener, selected,
					     place, -1, counters->limits);
	if (fd->fd >= 0 || (errno == ESRCH && !selected->is_wide))
		return 0;
	return errno;
}

static void note_lost_group(const struct counters *counters, uint32_t event)
{
	const struct selection *selection = counters->selection;

	log_note("the events of the group of %s are counted independently: the "
		 "kernel cannot open the group for the running threads, which "
		 "may be forking or ending",
		selection->events.at[group_leader(selection, event)].name);
}

/*
 * Opens EVENT at all places. If the hardware lacks the event, closes it and
 * returns NULL: the event is not supported. If the group was lost, also makes
 * the group weak.
 */
static struct error *open_counted(struct counters *counters, uint32_t event)
{
	struct counters_event *counted = &counters->events.at[event];
	struct selection_event *selected =
		&counters->selection->events.at[event];
	size_t first = group_leader(counters->selection, event), i;
	struct error *err;

	/* Add the places of EVENT, without descriptors. */
	counted->first = counters->fds.n;
	if (selected->is_wide)
		array_each(&counters->target->sampled.list, cpu)
			*array_push(&counters->fds) =
				(struct event_fd){ -1, event, *cpu, 0 };
	else
		array_each(&counters->threads.list, tid)
			*array_push(&counters->fds) = (struct event_fd){ -1,
				event, (uint32_t)*tid, 0 };
	counted->n = counters->fds.n - counted->first;
	first = counters->events.at[first].first;
	for (i = 0; i < counted->n; i++) {
		struct event_fd *fds = counters->fds.at;
		struct event_fd *fd = &fds[counted->first + i];
		int errnum = open_place(counters, fd,
			first == counted->first ? NULL : &fds[first + i].fd);

		if (!errnum)
			continue;
		const struct refusal_case refused = {
			.errnum = errnum,
			.name = selected->name,
			.attr = &selected->attr,
			.pid = selected->is_wide ? -1 : (pid_t)fd->place,
			.cpu = selected->is_wide ? (int)fd->place : -1,
			.is_member =
				group_has_leader(counters->selection, event),
			.has_cgroup = selected->cgroup,
		};

		err = explain_refusal(&refused);
		/*
		 * A running thread may have ended, or may have exchanged its
		 * events with a child, since the leader of the group was opened.
		 */
		enum target_kind kind = counters->target->kind;
		if ((kind == TARGET_PROCESSES || kind == TARGET_THREADS) &&
			(errnum == ENODEV || errnum == EINVAL) &&
			group_has_leader(counters->selection, event)) {
			note_lost_group(counters, event);
			selected->is_weak = true;
		} else if (!is_lacking(selected, errnum))
			return err;
		log_verbose("%s", err->text);
		error_free(err);
		close_last(counters, counted);
		return NULL;
	}
	counted->is_supported = true;
	return NULL;
}

/*
 * Returns whether the group that ends with EVENT can be read. A thread that
 * forked while the group was opened has a child with a part of the group:
 * read(2) of the leader then fails.
 */
static bool can_read_group(const struct counters *counters, uint32_t event)
{
	size_t leader = group_leader(counters->selection, event), i;
	const struct counters_event *first = &counters->events.at[leader];

	for (i = first->first; i < first->first + first->n; i++)
		if (counters->fds.at[i].fd >= 0 &&
			read(counters->fds.at[i].fd, counters->words,
				(READING_HEAD_WORDS + event + 1 - leader) *
					sizeof(uint64_t)) < 0 &&
			errno == ECHILD)
			return false;
	return true;
}

/* Returns whether the events of EVENT's group can only count independently. */
static bool must_split(const struct counters *counters, uint32_t event)
{
	const struct selection *selection = counters->selection;

	if (group_count_members(selection, event) == 1)
		return false;
	if (!counters->events.at[event].is_supported &&
		(!group_has_leader(selection, event) ||
			selection->events.at[event].is_weak))
		return true;
	if (event + 1 < group_leader(selection, event) +
				group_count_members(selection, event) ||
		can_read_group(counters, event))
		return false;
	note_lost_group(counters, event);
	return true;
}

static struct error *open_all(struct counters *counters)
{
	struct selection *selection = counters->selection;
	struct error *err;
	uint32_t event = 0;

	while (event < selection->events.n) {
		err = open_counted(counters, event);
		if (err)
			return err;
		if (must_split(counters, event)) {
			/*
			 * Close the group up to EVENT, which was opened last, and
			 * start again at its first event. The events of the group then
			 * count independently.
			 */
			size_t first = group_leader(selection, event);
			size_t i,
				end = first +
				group_count_members(selection, event);

			for (i = event + 1; i-- > first;)
				close_last(counters, &counters->events.at[i]);
			for (i = first; i < end; i++)
				selection->events.at[i].attr.read_format &=
					~(uint64_t)PERF_FORMAT_GROUP;
			group_dissolve(selection, event);
			event = (uint32_t)first;
		} else
			event++;
	}
	return NULL;
}

struct error *counters_open(
	const struct counters_plan *plan, struct counters *ret)
{
	struct selection *selection = plan->selection;
	struct error *err;
	size_t i;

	*ret = (struct counters){ .opener = plan->opener,
		.selection = selection,
		.target = plan->target,
		.limits = plan->limits };
	for (i = 0; i < selection->events.n; i++) {
		array_push(&ret->events);
		if (group_count_members(selection, i) > 1)
			selection->events.at[i].attr.read_format |=
				PERF_FORMAT_GROUP;
	}
	ret->words = xcalloc(
		READING_HEAD_WORDS + selection->events.n, sizeof(*ret->words));
	const struct target *target = plan->target;

	if (target->kind != TARGET_SYSTEM) {
		array_each(&target->tids.list, tid)
			task_list_add(&ret->threads, *tid);
		if (!target->tids.list.n)
			array_each(&target->pids.list, pid)
				task_list_add_threads(&ret->threads, *pid);
	}
	size_t n_fds = 0;

	/* A control group has a descriptor, too. */
	array_each(&selection->events, event)
		n_fds += !!event->cgroup +
			(event->is_wide ? target->sampled.list.n
					: ret->threads.list.n);
	err = fd_limits_raise(n_fds);
	if (!err)
		err = cgroups_open(selection, &ret->cgroups);
	if (!err)
		err = open_all(ret);
	ret->now = xcalloc(ret->fds.n + 1, sizeof(*ret->now));
	ret->marked = xcalloc(ret->fds.n + 1, sizeof(*ret->marked));
	return err;
}

void counters_close(struct counters *counters)
{
	size_t i = counters->events.n;

	/* The first event of a group last: the others belong to it. */
	while (i-- > 0)
		close_last(counters, &counters->events.at[i]);
	array_free(&counters->events);
	array_free(&counters->fds);
	free(counters->now);
	free(counters->marked);
	free(counters->words);
	task_list_free(&counters->threads);
	cgroups_close(&counters->cgroups);
}

/* prctl(2) enables all events that this thread opened. */
void counters_enable(void)
{
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

void counters_disable(void)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

void counters_switch(
	const struct counters *counters, uint32_t event, bool is_on)
{
	array_each(&counters->fds, fd)
		if (fd->event == event)
			ioctl(fd->fd,
				is_on ? PERF_EVENT_IOC_ENABLE
				      : PERF_EVENT_IOC_DISABLE,
				0);
}

void counters_enable_wide(const struct counters *counters)
{
	uint32_t i;

	for (i = 0; i < counters->events.n; i++)
		if (counters->selection->events.at[i].is_wide)
			counters_switch(counters, i, true);
}

/* Returns the place in .fds and .now of EVENT at its place with index PLACE. */
static size_t at_place(
	const struct counters *counters, size_t event, size_t place)
{
	return counters->events.at[event].first + place;
}

/*
 * Reads EVENT, or its whole group if it leads one, at the place with index
 * PLACE. An event that cannot be read keeps its last reading.
 */
static void read_place(struct counters *counters, size_t event, size_t place)
{
	const struct selection *selection = counters->selection;
	bool is_group = selection->events.at[event].attr.read_format &
		PERF_FORMAT_GROUP;
	size_t i,
		end = event +
		(is_group ? group_count_members(selection, event) : 1);
	size_t at = at_place(counters, event, place), n = 0;
	/*
	 * The group of a child that is just ending is incomplete for a short
	 * time, in which read(2) fails: then try again.
	 */
	unsigned tries = READ_TRIES;
	ssize_t size;

	while ((size = read(counters->fds.at[at].fd, counters->words,
			(READING_HEAD_WORDS + end - event) *
				sizeof(uint64_t))) < 0 &&
		errno == ECHILD && --tries)
		usleep(READ_AGAIN_US);
	size_t n_words = size > 0 ? (size_t)size / sizeof(uint64_t) : 0;

	if (!is_group) {
		reading_take(counters->words, n_words, &counters->now[at]);
		return;
	}
	for (i = event; i < end; i++)
		if (counters->events.at[i].is_supported)
			reading_take_member(counters->words, n_words, n++,
				&counters->now[at_place(counters, i, place)]);
}

void counters_read(struct counters *counters)
{
	size_t event, place;

	for (event = 0; event < counters->events.n; event++) {
		/* The leader reads the counters of its group. */
		if (group_has_leader(counters->selection, event) &&
			counters->selection->events.at[event].attr.read_format &
				PERF_FORMAT_GROUP)
			continue;
		for (place = 0; place < counters->events.at[event].n; place++)
			read_place(counters, event, place);
	}
}

void counters_mark(struct counters *counters)
{
	if (counters->fds.n)
		memcpy(counters->marked, counters->now,
			counters->fds.n * sizeof(*counters->now));
}

/* Returns what the descriptor with index AT counted in the interval. */
static struct reading interval_reading(
	const struct counters *counters, size_t event, size_t at)
{
	struct reading reading =
		reading_since(&counters->now[at], &counters->marked[at]);

	if (counters->selection->events.at[event].unit.is_snapshot)
		reading.value = counters->now[at].value;
	return reading;
}

struct reading counters_total(const struct counters *counters, size_t event)
{
	const struct counters_event *counted = &counters->events.at[event];
	struct reading sum = { 0 };
	size_t i;

	for (i = counted->first; i < counted->first + counted->n; i++) {
		struct reading part = interval_reading(counters, event, i);

		reading_add(&sum, &part);
	}
	return sum;
}

bool counters_at_place(const struct counters *counters, size_t event,
	size_t place, struct reading *ret)
{
	size_t at = at_place(counters, event, place);

	*ret = (struct reading){ 0 };
	if (place >= counters->events.at[event].n ||
		counters->fds.at[at].fd < 0)
		return false;
	*ret = interval_reading(counters, event, at);
	return true;
}
