/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing thread: takes blocks from the queue, compresses each into one
 * record, appends it to the file. When the queue fills up it compresses less.
 * What passes by is shown to the hits.
 */
#ifndef DWELL_RECORD_STREAM_BLOCKS_H
#define DWELL_RECORD_STREAM_BLOCKS_H

#include "common/util/error.h"
#include "record/queue/queue.h"
#include "record/stream/output_file.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/batch.h"

struct blocks;

/* LEVEL 0 writes plain records. All are borrowed until blocks_destroy(). */
struct error *blocks_create(struct queue *queue, struct part *part,
	struct hits *hits, int level, struct blocks **ret) _must_check_;
/* A notice is given when a file, and when all, have so many bytes; 0: never. */
void blocks_set_limits(struct blocks *blocks, uint64_t file, uint64_t all);
/*
 * What ends a file and begins the next one in the same part (files_turn()):
 * its STATE is the first thing that is written there.
 */
void blocks_on_turn(struct blocks *blocks,
	struct error *(*turn)(void *data, struct strbuf *state), void *data);
/* Samples with copies of stacks are unwound on their way; borrowed. */
void blocks_unwind(struct blocks *blocks, struct batch *batch);
void blocks_destroy(struct blocks *blocks);

/* REALTIME is for priority_raise(), or else nice -19. */
struct error *blocks_start(
	struct blocks *blocks, int realtime) _must_check_;

/* What the thread has to say, bits. */
enum blocks_notice {
	BLOCKS_FAILED = 1, /* to write; blocks are thrown away from then on */
	BLOCKS_LARGE = 2,  /* a file has reached its limit, or */
	BLOCKS_FULL = 4,   /* all have; it goes on writing */
};
/* To be polled, and then asked for what is new. */
int blocks_notice_fd(const struct blocks *blocks);
unsigned blocks_take_notice(struct blocks *blocks);
/* Waits until the closed queue is empty; gives what went wrong. */
struct error *blocks_join(struct blocks *blocks) _must_check_;

#endif
