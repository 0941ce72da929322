/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills two blocks, one of sideband and one of samples, and passes them to the
 * queue. Sideband goes first, so no sample is written before the sideband that
 * it needs.
 */
#ifndef DWELL_RECORD_QUEUE_BLOCK_FILL_H
#define DWELL_RECORD_QUEUE_BLOCK_FILL_H

#include "record/queue/queue.h"

/* Initialize .queue (borrowed) and zero the rest. */
struct block_fill {
	struct queue *queue;
	struct queue_block *sideband, *samples; /* NULL: empty */
	uint64_t
		until; /* after a flush: all sideband up to this time was put */
	uint64_t raw_bytes; /* bytes of all records */
};

/*
 * Append a record of TIME (0: none) and return the copy, which may be changed
 * until the next call. There is always room for sideband. Return NULL if there
 * is no room for a sample.
 */
uint8_t *block_fill_put_sideband(struct block_fill *filling, const void *record,
	size_t size, uint64_t time);
uint8_t *block_fill_put_sample(struct block_fill *filling, const void *record,
	size_t size, uint64_t time);
/*
 * Returns room for a sample of SIZE bytes that the caller writes at once, or
 * NULL.
 */
uint8_t *block_fill_make_sample(
	struct block_fill *filling, size_t size, uint64_t time);

/* Passes the blocks to the queue. */
void block_fill_flush(struct block_fill *filling);
/* After a flush: later records belong to another file. */
void block_fill_end_file(struct block_fill *filling);
/* Drops the blocks that were not flushed. */
void block_fill_discard(struct block_fill *filling);

#endif
