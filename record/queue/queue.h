/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of blocks between the drain and the writer thread. Its memory is
 * limited: if the memory is used up, there are no blocks for samples, but
 * always a block for sideband. Blocks are reused, so a steady recording
 * allocates nothing.
 */
#ifndef DWELL_RECORD_QUEUE_QUEUE_H
#define DWELL_RECORD_QUEUE_QUEUE_H

#include "common/file/block.h"

/*
 * Bytes of a sideband block: fewer than of a sample block, so that less
 * sideband waits.
 */
#define QUEUE_SIDEBAND_MAX KIB(128)

struct queue_block {
	struct queue_block *next; /* next block in a list of the queue */
	size_t room;		  /* size of .raw in bytes */
	struct block_info info;	  /* all set but .sequence and .frame_size */
	/*
	 * Time of clocks_now(): all sideband records up to this time are in
	 * this block or previous blocks. Sideband records of later times can be
	 * followed by records of earlier times.
	 */
	uint64_t until;
	bool is_due;	/* written at once, without waiting for more blocks */
	bool ends_file; /* an empty block: later blocks belong to another file
			 */
	_Alignas(uint64_t) uint8_t raw[]; /* records, as the kernel has them */
};

struct queue;

/*
 * Creates a queue with LIMIT bytes of memory, but at least two blocks of
 * samples.
 */
struct queue *queue_create(size_t limit);
void queue_destroy(struct queue *queue);

/*
 * Functions for the drain thread, which never wait for the disk. queue_get()
 * returns an empty block of KIND, or NULL if the memory is used up, but never
 * NULL for BLOCK_SIDEBAND.
 */
struct queue_block *queue_get(struct queue *queue, enum block_kind kind);
void queue_put(struct queue *queue, struct queue_block *block);
/* Marks the end of the queue: no more blocks will be put. */
void queue_close(struct queue *queue);

/*
 * Functions for the writer thread. queue_take() waits for a block and returns
 * NULL at the end of the queue.
 */
struct queue_block *queue_take(struct queue *queue);
/*
 * Returns the next block if a block of samples is next in the queue, else NULL.
 * Does not wait.
 */
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
struct queue_fill {
	struct queue *queue;
	struct queue_block *sideband, *samples; /* NULL: empty */
	uint64_t
		until; /* after a flush: all sideband up to this time was put */
	uint64_t raw_bytes; /* bytes of all records */
};

/*
 * Append a record of TIME (0: the record has no time) and return the copy,
 * which may be changed until the next call. There is always room for sideband.
 * Return NULL if there is no room for a sample.
 */
uint8_t *queue_fill_put_sideband(struct queue_fill *filling, const void *record,
	size_t size, uint64_t time);
uint8_t *queue_fill_put_sample(struct queue_fill *filling, const void *record,
	size_t size, uint64_t time);
/*
 * Returns room for a sample of SIZE bytes that the caller writes at once, or
 * NULL.
 */
uint8_t *queue_fill_make_sample(
	struct queue_fill *filling, size_t size, uint64_t time);

/* Passes both blocks to the queue. */
void queue_fill_flush(struct queue_fill *filling);
/*
 * Marks the end of a file, after a flush: later records belong to another file.
 */
void queue_fill_end_file(struct queue_fill *filling);
/* Drops the blocks that were not flushed. */
void queue_fill_discard(struct queue_fill *filling);

#endif
