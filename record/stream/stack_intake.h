/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves samples with a stack copy from a ring buffer to a block. Only the used
 * bytes of the stack copy are kept, and fewer if the queue fills up. If the
 * stack continues beyond a full stack copy, the memory behind the copy is
 * requested from the stack reader.
 */
#ifndef DWELL_RECORD_STREAM_STACK_INTAKE_H
#define DWELL_RECORD_STREAM_STACK_INTAKE_H

#include "common/perf/sample.h"
#include "record/queue/queue.h"
#include "record/queue/recorded_counts.h"
#include "record/unwind/stack_reader.h"

struct stack_intake {
	struct queue_fill *filling;
	struct recorded_counts *counts;
	struct stack_reader *
		reader; /* borrowed; NULL: memory behind copies is not requested */
	/*
	 * Stack copies are written to the file, and unwound by other programs:
	 * call chains by frame pointers are stored behind the copies
	 * (userchain.h).
	 */
	bool keeps_stacks;
	size_t stack_pointer; /* index of the stack pointer in the registers of
				 samples */
	/*
	 * Time of the last sample whose stack copy was nearly full, or whose
	 * signal handler runs on a stack of its own.
	 */
	uint64_t last_deep;
};

/* FILLING and COUNTS are borrowed. */
void stack_intake_init(struct stack_intake *stacks, struct queue_fill *filling,
	struct recorded_counts *counts);

/*
 * Appends the sample HEADER of an event with LAYOUT to the block of samples.
 * Returns the copy, which may be changed until the next call, or NULL if there
 * is no room. Counts stack copies that were shortened or omitted. A sample
 * without a stack copy is appended unchanged.
 */
uint8_t *stack_intake_put(struct stack_intake *stacks,
	const struct sample_layout *layout,
	const struct perf_event_header *header, uint64_t time);

#endif
