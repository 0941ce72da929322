/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/event_fds.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "common/util/alloc.h"
#include "common/util/log.h"
#include "record/event/event_filter.h"
#include "record/event/group.h"

bool event_fds_are_cpu_wide(const struct event_fds *opened)
{
	return opened->is_wide;
}

uint32_t event_fds_sideband(const struct event_fds *opened)
{
	return (uint32_t)opened->selection->events.n;
}

int event_fds_add(
	struct event_fds *opened, int fd, uint32_t event, uint32_t place)
{
	const struct rings_entry *rings = event == event_fds_sideband(opened)
		? opened->sideband
		: opened->samples;
	struct event_fd *new = array_push(&opened->fds);

	*new = (struct event_fd){ .fd = fd, .event = event, .place = place };
	if (ioctl(fd, PERF_EVENT_IOC_ID, &new->id) < 0)
		return errno;
	hash_insert(&opened->by_id, hash_words(new->id, 0),
		(uint32_t)opened->fds.n - 1);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, rings[place].owner) < 0)
		return errno;
	return 0;
}

void event_fds_close(struct event_fds *opened, size_t first_fd, size_t n)
{
	for (; n; n--, first_fd++) {
		struct event_fd *fd = &opened->fds.at[first_fd];

		if (fd->fd >= 0)
			close(fd->fd);
		fd->fd = -1;
	}
}

uint32_t event_fds_event(const struct event_fds *opened, uint64_t id)
{
	uint64_t hash = hash_words(id, 0);

	hash_each_match(&opened->by_id, hash, i)
		if (opened->fds.at[i].id == id)
			return opened->fds.at[i].event;
	return 0;
}

bool event_fds_read(const struct event_fd *fd, struct event_counter *ret)
{
	return read(fd->fd, ret, sizeof(*ret)) == sizeof(*ret);
}

static void note_switch(
	const struct event_fds *opened, uint32_t event, bool is_on)
{
	uint32_t i;

	for (i = 0; i < event_fds_sideband(opened); i++)
		if (event == EVENT_FDS_ALL || i == event)
			opened->selection->events.at[i].is_on = is_on;
}

/* prctl(2) enables all events that this thread opened. */
void event_fds_enable(const struct event_fds *opened)
{
	note_switch(opened, EVENT_FDS_ALL, true);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
}

void event_fds_disable(void)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

static unsigned long switch_request(bool is_on)
{
	return is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
}

/*
 * An ioctl(2) of an event also applies to the events that were inherited from
 * this event.
 */
void event_fds_switch(
	const struct event_fds *opened, uint32_t event, bool is_on)
{
	note_switch(opened, event, is_on);
	/* Group members follow their leader. */
	array_each(&opened->fds, fd)
		if (fd->event == event ||
			(event == EVENT_FDS_ALL &&
				(fd->event != event_fds_sideband(opened) &&
					!group_has_leader(
						opened->selection, fd->event))))
			ioctl(fd->fd, switch_request(is_on), 0);
}

void event_fds_enable_wide(const struct event_fds *opened)
{
	uint32_t i;

	for (i = 0; i < event_fds_sideband(opened); i++)
		if (opened->selection->events.at[i].is_wide)
			event_fds_switch(opened, i, true);
}

void event_fds_switch_again(const struct event_fds *opened)
{
	const struct selection_event *events = opened->selection->events.at;

	array_each(&opened->fds, fd)
		if (fd->event != event_fds_sideband(opened))
			ioctl(fd->fd, switch_request(events[fd->event].is_on),
				0);
}

void event_fds_deinit(struct event_fds *opened)
{
	event_fds_close(opened, 0, opened->fds.n);
	array_free(&opened->fds);
	hash_free(&opened->by_id);
	free(opened->leaders);
	rings_close(&opened->rings);
	cgroups_close(&opened->cgroups);
}

static void print_event(const char *name, const struct perf_event_attr *attr,
	const char *flags, struct strbuf *out)
{
	strbuf_puts(out, name);
	if (strstr(flags, "-v")) {
		strbuf_puts(out, ": ");
		attr_print(attr, out);
	} else if (strstr(flags, "-F")) {
		strbuf_printf(out, ": %s=%" PRIu64,
			attr->freq ? "sample_freq" : "sample_period",
			(uint64_t)attr->sample_period);
	}
	strbuf_puts(out, "\n");
}

void event_fds_print(const struct selection *selection,
	const struct perf_event_attr *sideband, const char *flags,
	struct strbuf *out)
{
	_cleanup_free_ char *name = sideband ? attr_name(sideband) : NULL;

	array_each(&selection->events, event)
		print_event(event->name, &event->attr, flags, out);
	if (sideband)
		print_event(name, sideband, flags, out);
}

void event_fds_exclude_self(const struct event_fds *opened)
{
	const struct selection *selection = opened->selection;
	struct task_list threads = { 0 };
	int errnum = 0;

	task_list_add_threads(&threads, getpid());
	array_each(&opened->fds, fd)
		if (fd->event < selection->events.n && fd->fd >= 0 && !errnum)
			errnum = event_filter_exclude_threads(
				&selection->events.at[fd->event], fd->fd,
				threads.list.at, threads.list.n);
	task_list_free(&threads);
	/* If this fails, the drain drops the samples of the recorder later. */
	if (errnum)
		log_verbose("tracepoints of dwell itself use space in the ring "
			    "buffers: %s",
			strerror(errnum));
}
