/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/sched_switch.h"

#include "common/perf/sched_waking.h"
#include "report/survey/tracing.h"

/*
 * TASK_REPORT_MAX of linux/sched.h: a state with this bit or a higher one means
 * that the thread was preempted. So does state 0.
 */
#define STATE_PREEMPTED_FROM 0x100u

bool sched_switch_find(
	const struct features *features, struct sched_switch_offsets *ret)
{
	struct tracing tracing;
	const char *text;
	size_t size;

	if (!tracing_find(features, SCHED_SWITCH_NAME, &tracing, &text, &size))
		return false;
	*ret = (struct sched_switch_offsets){
		.prev_pid =
			tracepoint_field_offset(text, size, "pid_t prev_pid"),
		.prev_state =
			tracepoint_field_offset(text, size, "long prev_state"),
		.next_pid =
			tracepoint_field_offset(text, size, "pid_t next_pid"),
		.state_size = tracing.long_size,
		.swap = tracing.b.swap,
	};
	return ret->prev_pid && ret->prev_state && ret->next_pid;
}

static struct bytes raw_bytes_at(const struct sched_switch_offsets *offsets,
	const struct sample *sample, size_t place)
{
	struct bytes b = bytes_of(sample->raw, sample->raw_size, offsets->swap);

	bytes_take(&b, place);
	return b;
}

bool sched_switch_read(const struct sched_switch_offsets *offsets,
	const struct sample *sample, struct sched_switch *ret)
{
	struct bytes prev = raw_bytes_at(offsets, sample, offsets->prev_pid);
	struct bytes state = raw_bytes_at(offsets, sample, offsets->prev_state);
	struct bytes next = raw_bytes_at(offsets, sample, offsets->next_pid);
	uint64_t value;

	ret->prev = bytes_u32(&prev);
	ret->next = bytes_u32(&next);
	value = offsets->state_size == 8 ? bytes_u64(&state)
					 : bytes_u32(&state);
	ret->is_preempted = !value || value >= STATE_PREEMPTED_FROM;
	return prev.ok && state.ok && next.ok;
}
