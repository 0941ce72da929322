/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/copying.h"

#include "record/event/sample_fields.h"
#include "record/event/stack_copy.h"
#include "record/unwind/signal_frames.h"

/* After a deep stack others are likely for so long. */
#define HURRY_NS (50 * NSEC_PER_MSEC)

void copying_init(struct copying *copying, struct filling *filling,
	struct counts *counts)
{
	copying->filling = filling;
	copying->counts = counts;
	copying->depths = NULL;
	copying->keeps_stacks = false;
	copying->last_deep = 0;
	/* Copies always come with all registers. */
	copying->stack_pointer = carried_stack_pointer();
}

void copying_complete(struct copying *copying, struct depths *depths)
{
	copying->depths = depths;
}

void copying_keep(struct copying *copying)
{
	copying->keeps_stacks = true;
}

bool copying_is_hurried(const struct copying *copying)
{
	return copying->depths &&
		copying->filling->until - copying->last_deep < HURRY_NS;
}

static uint64_t stack_pointer(
	const struct copying *copying, const struct sample *sample)
{
	uint64_t address;

	memcpy(&address,
		sample->regs_user + sizeof(address) * copying->stack_pointer,
		sizeof(address));
	return address;
}

/*
 * What a sample tells of its thread's stack. It is deep where three quarters of
 * a copy are of it; those of threads are always full: other memory lies behind
 * their stacks.
 */
static void look_at(
	struct copying *copying, const struct dump *dump, uint64_t time)
{
	const struct sample *sample = &dump->sample;
	size_t much = dump->reserved / 4 * 3;
	uint64_t pointer;

	if (!copying->depths || !sample->regs_user)
		return;
	pointer = stack_pointer(copying, sample);
	depths_see(copying->depths,
		&(struct depths_seen){ sample->tid, sample->time, pointer,
			sample->stack, dump->filled });
	if (dump->filled >= much &&
		!depths_is_beyond(
			copying->depths, sample->pid, pointer, pointer + much))
		copying->last_deep = time;
}

/*
 * A signal's handler that has a stack of its own: what was interrupted goes on
 * elsewhere, and the copy counts as far as the kernel has put its address.
 */
static void ask_for_interrupted(struct copying *copying,
	const struct dump *dump, struct depths_question *question)
{
	struct handled handled;

	if (!handlers_read(dump->sample.stack, dump->filled,
		    stack_pointer(copying, &dump->sample),
		    depths_interrupted_at(copying->depths, question->tid),
		    &handled))
		return;
	question->address += handled.end - dump->filled;
	question->overlap = MIN(handled.end, (size_t)DEPTHS_OVERLAP);
	question->from = handled.from;
	question->mask = handled.mask;
	copying->last_deep = question->time;
}

static void ask_for_rest(struct copying *copying, const struct dump *dump)
{
	const struct sample *sample = &dump->sample;
	struct depths_question question = {
		.pid = sample->pid,
		.tid = sample->tid,
		.time = sample->time,
	};

	if (!sample->regs_user)
		return;
	question.start = stack_pointer(copying, sample);
	question.address = question.start + dump->filled;
	question.overlap = MIN(dump->filled, (size_t)DEPTHS_OVERLAP);
	ask_for_interrupted(copying, dump, &question);
	depths_ask(copying->depths, &question);
}

uint8_t *copying_put(struct copying *copying,
	const struct sample_layout *layout,
	const struct perf_event_header *header, uint64_t time)
{
	struct filling *filling = copying->filling;
	struct counts *counts = copying->counts;
	struct dump dump;
	uint8_t *place;
	size_t kept;

	if (likely(!(layout->type & PERF_SAMPLE_STACK_USER)) ||
		!dump_find(layout, header, &dump))
		return filling_put_sample(filling, header, header->size, time);
	if (copying->keeps_stacks)
		dump_set_aside(&dump);
	kept = dump_kept(queue_fill_percent(filling->queue));
	look_at(copying, &dump, time);
	place = filling_make_sample(
		filling, dump_size_with(&dump, kept), time);
	if (!place)
		return NULL;
	dump_write(&dump, kept, place);
	if (unlikely(kept < dump.filled))
		count_add(kept ? &counts->cut : &counts->bare, 1);
	else if (copying->depths && dump.filled)
		ask_for_rest(copying, &dump);
	return place;
}
