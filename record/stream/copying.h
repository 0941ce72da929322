/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with a copy of the stack, on their way from a ring to a block: only
 * what the copy holds is taken along, and less when the queue fills up. Where
 * the stack goes on behind a full copy, the process is asked.
 */
#ifndef DWELL_RECORD_STREAM_COPYING_H
#define DWELL_RECORD_STREAM_COPYING_H

#include "common/perf/sample.h"
#include "record/queue/block_fill.h"
#include "record/queue/sample_counts.h"
#include "record/unwind/stack_reader.h"

struct copying {
	struct filling *filling;
	struct counts *counts;
	struct depths *depths; /* NULL: nobody is asked */
	bool keeps_stacks;     /* they go into the file, for others to unwind */
	size_t stack_pointer;  /* its place among the registers of samples */
	/* Time of the last one that nearly filled its copy, or goes on elsewhere. */
	uint64_t last_deep;
};

/* Both are borrowed. */
void copying_init(struct copying *copying, struct filling *filling,
	struct counts *counts);

/* DEPTHS is asked for what stacks have beyond a copy; borrowed. */
void copying_complete(struct copying *copying, struct depths *depths);
/* Copies go into the file: chains by frame pointers stand aside (frame_pointer_chain.h). */
void copying_keep(struct copying *copying);
/*
 * Whether stacks were so deep lately that the next ones are to be looked at
 * soon, while their processes can be asked.
 */
bool copying_is_hurried(const struct copying *copying);

/*
 * As filling_put_sample(), of an event with LAYOUT. What was cut or left out of
 * copies is counted; a sample without any is put as it is.
 */
uint8_t *copying_put(struct copying *copying,
	const struct sample_layout *layout,
	const struct perf_event_header *header, uint64_t time);

#endif
