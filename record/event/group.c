/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/group.h"

bool group_has_leader(const struct selection *selection, size_t event)
{
	const struct selection_event *events = selection->events.at;

	return event && events[event].group &&
		events[event].group == events[event - 1].group;
}

size_t group_leader(const struct selection *selection, size_t event)
{
	while (group_has_leader(selection, event))
		event--;
	return event;
}

size_t group_count_members(const struct selection *selection, size_t event)
{
	size_t leader = group_leader(selection, event), end = leader + 1;

	while (end < selection->events.n && group_has_leader(selection, end))
		end++;
	return end - leader;
}

void group_dissolve(struct selection *selection, size_t event)
{
	size_t leader = group_leader(selection, event), i;
	size_t end = leader + group_count_members(selection, event);
	const struct perf_event_attr first = selection->events.at[leader].attr;

	for (i = leader; i < end; i++) {
		struct selection_event *each = &selection->events.at[i];

		each->group = 0;
		each->attr.disabled = first.disabled;
		each->attr.enable_on_exec =
			selection_event_starts_at_exec(each);
	}
}

void groups_configure(struct selection *selection)
{
	size_t i;

	for (i = 0; i < selection->events.n; i++) {
		/*
		 * The leader enables and disables the group. If an event of
		 * another PMU is enabled later than its leader, it does not
		 * count on a whole CPU (Linux 6.18: ctx_resched() reschedules
		 * that PMU, but the group is listed with the PMU of the
		 * leader).
		 */
		struct selection_event *event = &selection->events.at[i];
		size_t leader = group_leader(selection, i);

		/* Events of CPUs and of threads cannot be in one group. */
		if (event->is_wide != selection->events.at[leader].is_wide)
			event->group = 0;
		if (group_has_leader(selection, i))
			event->attr.disabled = event->attr.enable_on_exec = 0;
		/*
		 * Samples of a leader with the modifier S contain the counters
		 * of the whole group. As in perf, the other events of the group
		 * then take no samples, unless their terms set a period or a
		 * frequency. The other events have the sample fields of the
		 * leader, because readers derive samples of the other events
		 * from samples of the leader.
		 */
		leader = group_leader(selection, i);
		const struct selection_event *first =
			&selection->events.at[leader];

		if (!first->reads_counts)
			continue;
		event->attr.sample_type |= PERF_SAMPLE_READ;
		if (group_count_members(selection, i) > 1)
			event->attr.read_format |= PERF_FORMAT_GROUP;
		if (leader == i)
			continue;
		event->attr.sample_type = first->attr.sample_type;
		event->attr.sample_regs_user = first->attr.sample_regs_user;
		event->attr.sample_stack_user = first->attr.sample_stack_user;
		event->attr.branch_sample_type = first->attr.branch_sample_type;
		event->attr.inherit = first->attr.inherit;
		event->follows = first->follows;
		if (event->period || event->frequency)
			continue;
		event->attr.freq = 0;
		event->attr.sample_period = 0;
	}
}
