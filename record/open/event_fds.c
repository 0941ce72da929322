/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/open/event_fds.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

#include "record/event/group.h"

bool opened_is_cpu_wide(const struct opened *opened)
{
	return opened->is_wide;
}

uint32_t opened_sideband(const struct opened *opened)
{
	return (uint32_t)opened->selection->events.n;
}

int opened_add(struct opened *opened, int fd, uint32_t event, uint32_t place)
{
	const struct opened_ring *rings = event == opened_sideband(opened)
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

void opened_close(struct opened *opened, size_t first_fd, size_t n)
{
	for (; n; n--, first_fd++) {
		struct opened_fd *fd = &opened->fds.at[first_fd];

		if (fd->fd >= 0)
			close(fd->fd);
		fd->fd = -1;
	}
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

static void note_switch(const struct opened *opened, uint32_t event, bool is_on)
{
	uint32_t i;

	for (i = 0; i < opened_sideband(opened); i++)
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

static unsigned long switch_request(bool is_on)
{
	return is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
}

/* Whether FD is switched with all others; a group is by its leader. */
static bool is_switched(
	const struct opened *opened, const struct opened_fd *fd)
{
	return fd->event != opened_sideband(opened) &&
		!group_has_leader(opened->selection, fd->event);
}

/* An event's descriptor speaks for all that were inherited from it, too. */
void opened_switch(const struct opened *opened, uint32_t event, bool is_on)
{
	note_switch(opened, event, is_on);
	array_each (&opened->fds, fd)
		if (fd->event == event ||
			(event == OPENED_ALL && is_switched(opened, fd)))
			ioctl(fd->fd, switch_request(is_on), 0);
}

void opened_enable_wide(const struct opened *opened)
{
	uint32_t i;

	for (i = 0; i < opened_sideband(opened); i++)
		if (opened->selection->events.at[i].is_wide)
			opened_switch(opened, i, true);
}

void opened_switch_again(const struct opened *opened)
{
	const struct selected *events = opened->selection->events.at;

	array_each (&opened->fds, fd)
		if (fd->event != opened_sideband(opened))
			ioctl(fd->fd, switch_request(events[fd->event].is_on),
				0);
}

void opened_deinit(struct opened *opened)
{
	opened_close(opened, 0, opened->fds.n);
	array_free(&opened->fds);
	hash_free(&opened->by_id);
	free(opened->leaders);
	rings_close(&opened->rings);
	cgroups_close(&opened->cgroups);
}
