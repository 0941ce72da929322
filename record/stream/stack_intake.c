/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/stack_intake.h"

#include "record/event/sample_fields.h"
#include "record/event/stack_copy.h"
#include "record/unwind/stack_reader.h"

void stack_intake_init(struct stack_intake *stacks, struct queue_fill *filling,
	struct recorded_counts *counts)
{
	stacks->filling = filling;
	stacks->counts = counts;
	stacks->reader = NULL;
	stacks->keeps_stacks = false;
	stacks->last_deep = 0;
	/* Samples with a stack copy contain all registers. */
	stacks->stack_pointer = sample_fields_stack_pointer();
}

static uint64_t read_stack_pointer(
	const struct stack_intake *stacks, const struct sample *sample)
{
	uint64_t address;

	memcpy(&address,
		sample->regs_user + sizeof(address) * stacks->stack_pointer,
		sizeof(address));
	return address;
}

static void request_rest_of_stack(
	struct stack_intake *stacks, const struct stack_copy *copy)
{
	const struct sample *sample = &copy->sample;
	struct stack_request request = {
		.pid = sample->pid,
		.tid = sample->tid,
		.time = sample->time,
	};

	if (!sample->regs_user)
		return;
	request.start = read_stack_pointer(stacks, sample);
	request.address = request.start + copy->filled;
	request.overlap = MIN(copy->filled, (size_t)STACK_READER_OVERLAP);
	/*
	 * If a signal handler runs on its own stack, request the stack of the
	 * interrupted code, and limit the overlap to the part of the stack copy
	 * up to the saved registers.
	 */
	struct stack_signal_frame signal_frame;

	if (stack_signal_frames_read(copy->sample.stack, copy->filled,
		    read_stack_pointer(stacks, &copy->sample),
		    stack_reader_interrupted_at(stacks->reader, request.tid),
		    &signal_frame)) {
		request.address += signal_frame.end - copy->filled;
		request.overlap =
			MIN(signal_frame.end, (size_t)STACK_READER_OVERLAP);
		request.from = signal_frame.from;
		request.mask = signal_frame.mask;
		stacks->last_deep = request.time;
	}
	stack_reader_request(stacks->reader, &request);
}

uint8_t *stack_intake_put(struct stack_intake *stacks,
	const struct sample_layout *layout,
	const struct perf_event_header *header, uint64_t time)
{
	struct queue_fill *filling = stacks->filling;
	struct recorded_counts *counts = stacks->counts;
	struct stack_copy copy;
	uint8_t *place;
	size_t kept;

	if (likely(!(layout->type & PERF_SAMPLE_STACK_USER)) ||
		!stack_copy_find(layout, header, &copy))
		return queue_fill_put_sample(
			filling, header, header->size, time);
	if (stacks->keeps_stacks)
		stack_copy_move_chain(&copy);
	kept = stack_copy_kept(queue_fill_percent(filling->queue));
	/*
	 * Pass the stack of a sample to the stack reader. A stack is deep if it
	 * uses three quarters of its stack copy. Stack copies of threads other
	 * than the main thread are always full, because other memory follows
	 * their stacks.
	 */
	const struct sample *sample = &copy.sample;
	size_t much = copy.reserved / 4 * 3;
	uint64_t pointer;

	if (stacks->reader && sample->regs_user) {
		pointer = read_stack_pointer(stacks, sample);
		stack_reader_observe(stacks->reader,
			&(struct stack_observation){ sample->tid, sample->time,
				pointer, sample->stack, copy.filled });
		if (copy.filled >= much &&
			!stack_reader_is_beyond(stacks->reader, sample->pid,
				pointer, pointer + much))
			stacks->last_deep = time;
	}
	place = queue_fill_make_sample(
		filling, stack_copy_size_with(&copy, kept), time);
	if (!place)
		return NULL;
	stack_copy_write(&copy, kept, place);
	if (unlikely(kept < copy.filled))
		recorded_count_add(kept ? &counts->cut : &counts->bare, 1);
	else if (stacks->reader && copy.filled)
		request_rest_of_stack(stacks, &copy);
	return place;
}
