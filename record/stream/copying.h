/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves samples with a stack copy from a ring buffer to a block. Only the used
 * bytes of the copy are kept, and fewer if the queue fills up. If the stack
 * continues beyond a full copy, the rest is requested from the stack reader.
 */
#ifndef DWELL_RECORD_STREAM_COPYING_H
#define DWELL_RECORD_STREAM_COPYING_H

#include "common/perf/sample.h"
#include "record/queue/queue.h"
#include "record/queue/sample_counts.h"
#include "record/unwind/stack_reader.h"

struct copying {
	struct block_fill *filling;
	struct recorded_counts *counts;
	struct stack_reader
		*reader;      /* NULL: the rest of a stack is not requested */
	bool keeps_stacks;    /* copies are written to the file, and unwound by
				 other programs */
	size_t stack_pointer; /* index of the stack pointer in the registers of
				 samples */
	/*
	 * Time of the last sample whose copy was nearly full, or whose stack
	 * continues elsewhere.
	 */
	uint64_t last_deep;
};

/* FILLING and COUNTS are borrowed. */
void copying_init(struct copying *copying, struct block_fill *filling,
	struct recorded_counts *counts);

/*
 * Sets READER, from which the part of a stack beyond its copy is requested;
 * borrowed.
 */
void copying_set_reader(struct copying *copying, struct stack_reader *reader);
/*
 * Writes copies to the file. The frame pointer chains are stored separately
 * (userchain.h).
 */
void copying_keep_stacks(struct copying *copying);
/*
 * Returns true if stacks were deep recently: the ring buffers should be drained
 * soon, while the processes still have the rest of these stacks.
 */
bool copying_is_urgent(const struct copying *copying);

/*
 * As block_fill_put_sample(), for an event with LAYOUT. Counts copies that were
 * cut or omitted. A sample without a copy is put unchanged.
 */
uint8_t *copying_put(struct copying *copying,
	const struct sample_layout *layout,
	const struct perf_event_header *header, uint64_t time);

#endif
