/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two blocks that are being filled, one of sideband and one of samples, and
 * the queue that they go to. Sideband goes first: no sample is ever written
 * before what it needs.
 */
#ifndef DWELL_RECORD_QUEUE_BLOCK_FILL_H
#define DWELL_RECORD_QUEUE_BLOCK_FILL_H

#include "record/queue/queue.h"

/* Begins with its queue, borrowed, and zeros. */
struct filling {
	struct queue *queue;
	struct queue_block *sideband, *samples; /* NULL: nothing is in there */
	uint64_t until;     /* sideband is complete up to there, when flushed */
	uint64_t raw_bytes; /* all that was put */
};

/*
 * Append a record, of TIME (0: none), and return the copy, which may be changed
 * until the next call. There is always room for sideband; NULL where there is
 * none for a sample.
 */
uint8_t *filling_put_sideband(struct filling *filling, const void *record,
	size_t size, uint64_t time);
uint8_t *filling_put_sample(struct filling *filling, const void *record,
	size_t size, uint64_t time);
/* The same, of a sample that the caller writes there, whole, at once. */
uint8_t *filling_make_sample(
	struct filling *filling, size_t size, uint64_t time);

/* Puts what there is into the queue. */
void filling_flush(struct filling *filling);
/* Then: what comes later belongs to another file. */
void filling_end_file(struct filling *filling);
/* Drops what was not flushed. */
void filling_discard(struct filling *filling);

#endif
