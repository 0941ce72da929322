/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/group.h"

bool group_has_leader(const struct selection *selection, size_t event)
{
	const struct selected *events = selection->events.at;

	return event && events[event].group &&
		events[event].group == events[event - 1].group;
}

size_t group_leader(const struct selection *selection, size_t event)
{
	while (group_has_leader(selection, event))
		event--;
	return event;
}

size_t group_size(const struct selection *selection, size_t event)
{
	size_t leader = group_leader(selection, event), end = leader + 1;

	while (end < selection->events.n && group_has_leader(selection, end))
		end++;
	return end - leader;
}

void group_dissolve(struct selection *selection, size_t event)
{
	size_t leader = group_leader(selection, event), i;
	size_t end = leader + group_size(selection, event);
	const struct perf_event_attr first = selection->events.at[leader].attr;

	for (i = leader; i < end; i++) {
		struct selected *each = &selection->events.at[i];

		each->group = 0;
		each->attr.disabled = first.disabled;
		each->attr.enable_on_exec = first.enable_on_exec;
	}
}

/*
 * The leader's samples tell the counters of the whole group. perf's rule: the
 * others give none of their own then, unless terms say how often, and look
 * like the leader's, as readers make theirs of them.
 */
static void read_group(struct selection *selection, size_t index)
{
	struct selected *event = &selection->events.at[index];
	size_t leader = group_leader(selection, index);
	const struct selected *first = &selection->events.at[leader];

	if (!first->reads_counts)
		return;
	event->attr.sample_type |= PERF_SAMPLE_READ;
	if (group_size(selection, index) > 1)
		event->attr.read_format |= PERF_FORMAT_GROUP;
	/* perf before 6.13 takes the counters of all threads for one. */
	if (leader == index && event->inherits != WISH_YES)
		event->attr.inherit = event->follows = 0;
	if (leader == index)
		return;
	event->attr.sample_type = first->attr.sample_type;
	event->attr.sample_regs_user = first->attr.sample_regs_user;
	event->attr.sample_stack_user = first->attr.sample_stack_user;
	event->attr.branch_sample_type = first->attr.branch_sample_type;
	event->attr.inherit = first->attr.inherit;
	event->follows = first->follows;
	if (event->period || event->frequency)
		return;
	event->attr.freq = 0;
	event->attr.sample_period = 0;
}

/*
 * A group begins and ends with its leader. Switched on later than that, what
 * belongs to another PMU doesn't count on a whole CPU (Linux 6.18:
 * ctx_resched() asks that PMU, and the group stands with the leader's).
 */
static void follow_leader(struct selection *selection, size_t index)
{
	struct selected *event = &selection->events.at[index];
	size_t leader = group_leader(selection, index);

	/* What is of CPUs can't be counted with what is of threads. */
	if (event->is_wide != selection->events.at[leader].is_wide)
		event->group = 0;
	if (group_has_leader(selection, index))
		event->attr.disabled = event->attr.enable_on_exec = 0;
}

void groups_configure(struct selection *selection)
{
	size_t i;

	for (i = 0; i < selection->events.n; i++) {
		follow_leader(selection, i);
		read_group(selection, i);
	}
}
