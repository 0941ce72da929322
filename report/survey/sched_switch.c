/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/sched_switch.h"

#include "common/perf/sched_waking.h"
#include "report/survey/tracing.h"

/*
 * linux/sched.h, TASK_REPORT_MAX: from this bit on the state of a thread says
 * that it was preempted, and so does none at all.
 */
#define STATE_PREEMPTED_FROM 0x100u

bool sched_switch_find(
	const struct features *features, struct sched_switch_places *ret)
{
	struct tracing tracing;
	const char *text;
	size_t size;

	if (!tracing_find(features, SCHED_SWITCH_NAME, &tracing, &text, &size))
		return false;
	*ret = (struct sched_switch_places){
		.prev_pid = tracepoint_place(text, size, "pid_t prev_pid"),
		.prev_state = tracepoint_place(text, size, "long prev_state"),
		.next_pid = tracepoint_place(text, size, "pid_t next_pid"),
		.state_size = tracing.long_size,
		.swap = tracing.b.swap,
	};
	return ret->prev_pid && ret->prev_state && ret->next_pid;
}

static struct bytes at(const struct sched_switch_places *places,
	const struct sample *sample, size_t place)
{
	struct bytes b = bytes_of(sample->raw, sample->raw_size, places->swap);

	bytes_take(&b, place);
	return b;
}

bool sched_switch_read(const struct sched_switch_places *places,
	const struct sample *sample, struct sched_switch *ret)
{
	struct bytes prev = at(places, sample, places->prev_pid);
	struct bytes state = at(places, sample, places->prev_state);
	struct bytes next = at(places, sample, places->next_pid);
	uint64_t value;

	ret->prev = bytes_u32(&prev);
	ret->next = bytes_u32(&next);
	value = places->state_size == 8 ? bytes_u64(&state) : bytes_u32(&state);
	ret->is_preempted = !value || value >= STATE_PREEMPTED_FROM;
	return prev.ok && state.ok && next.ok;
}
