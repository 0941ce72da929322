/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of blocks between the drain and the writer thread. Its memory is
 * limited: if it is used up, there are no blocks for samples, but always one
 * for sideband. Blocks are reused, so a steady recording allocates nothing.
 */
#ifndef DWELL_RECORD_QUEUE_QUEUE_H
#define DWELL_RECORD_QUEUE_QUEUE_H

#include "common/file/block.h"

/* Bytes of a sideband block, which are fewer so that less sideband waits. */
#define QUEUE_SIDEBAND_MAX KIB(128)

struct queue_block {
	struct queue_block *next; /* for the queue */
	size_t room;		  /* bytes at raw */
	struct block_info info;	  /* all fields but sequence and frame_size */
	/*
	 * Time of clocks_now(): all earlier sideband is in this or a previous
	 * block. Later sideband can still be followed by earlier records.
	 */
	uint64_t until;
	bool is_due;	/* its records have waited long enough */
	bool ends_file; /* an empty block: later blocks belong to another file
			 */
	_Alignas(uint64_t) uint8_t raw[]; /* records, as the kernel has them */
};

struct queue;

/* LIMIT is in bytes, at least two blocks of samples. */
struct queue *queue_create(size_t limit);
void queue_destroy(struct queue *queue);

/*
 * For the drain. queue_get() returns an empty block, or NULL if the memory is
 * used up, but never NULL for BLOCK_SIDEBAND. These functions never wait for
 * the disk.
 */
struct queue_block *queue_get(struct queue *queue, enum block_kind kind);
void queue_put(struct queue *queue, struct queue_block *block);
/* No more blocks will be put. */
void queue_close(struct queue *queue);

/* For the writer thread. queue_take() waits for a block; NULL is the end. */
struct queue_block *queue_take(struct queue *queue);
/* Returns the next block if it is waiting and contains samples, else NULL. */
struct queue_block *queue_take_samples(struct queue *queue);
void queue_give_back(struct queue *queue, struct queue_block *block);

/* Returns whether no block waits for the writer thread. */
bool queue_is_empty(struct queue *queue);
/*
 * Returns the used part of the memory in percent; above 100 with much sideband.
 */
unsigned queue_fill_percent(struct queue *queue);
size_t queue_peak_bytes(struct queue *queue);

/* The size in bytes of sample blocks that the writer thread requests. */
void queue_set_block_size(struct queue *queue, size_t raw_size);
size_t queue_block_size(const struct queue *queue);

/*
 * Fills two blocks, one of sideband and one of samples, and passes them to the
 * queue. Sideband goes first, so no sample is written before the sideband that
 * it needs. Initialize .queue (borrowed) and zero the rest.
 */
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
