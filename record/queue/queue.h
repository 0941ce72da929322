/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was drained and is not written yet: blocks on their way from the drain
 * to the writing thread. Its memory is bounded; when it is used up there is no
 * block for samples any more, but always one for sideband. Blocks are used
 * again, so a recording that runs steadily allocates nothing.
 */
#ifndef DWELL_RECORD_QUEUE_QUEUE_H
#define DWELL_RECORD_QUEUE_QUEUE_H

#include "common/file/block.h"

/* Raw bytes of a block for sideband: less of it waits, and for less long. */
#define QUEUE_SIDEBAND_MAX KIB(128)

struct queue_block {
	struct queue_block *next; /* the queue's own */
	size_t room;              /* bytes at raw */
	struct block_info info;   /* all but sequence and frame_size */
	/*
	 * clocks_now(): all sideband up to then was put before; what is
	 * later may still be followed by something earlier.
	 */
	uint64_t until;
	bool is_due;    /* what came before it has waited long enough */
	bool ends_file; /* empty: what comes behind goes into another file */
	_Alignas(uint64_t) uint8_t raw[]; /* records, as the kernel has them */
};

struct queue;

/* LIMIT is in bytes; at least two blocks of samples. */
struct queue *queue_create(size_t limit);
void queue_destroy(struct queue *queue);

/*
 * For the drain. queue_get() gives an empty block, NULL if memory is used up,
 * but never NULL for BLOCK_SIDEBAND. None of these waits for the disk.
 */
struct queue_block *queue_get(struct queue *queue, enum block_kind kind);
void queue_put(struct queue *queue, struct queue_block *block);
/* Nothing more will be put. */
void queue_close(struct queue *queue);

/* For the writing thread. queue_take() waits; NULL is the end. */
struct queue_block *queue_take(struct queue *queue);
/* The next one, if it waits already and is of samples; else NULL. */
struct queue_block *queue_take_samples(struct queue *queue);
void queue_give_back(struct queue *queue, struct queue_block *block);

/* Nothing waits for the writing thread: it keeps up. */
bool queue_is_empty(struct queue *queue);
/* How much of the memory is in use, 0..100, or more with much sideband. */
unsigned queue_fill_percent(struct queue *queue);
size_t queue_peak_bytes(struct queue *queue);

/* Raw bytes per sample block that the writing thread would like. */
void queue_set_wish(struct queue *queue, size_t raw_size);
size_t queue_wish(const struct queue *queue);

#endif
