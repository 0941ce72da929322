/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing thread: takes blocks from the queue, compresses each into one
 * record, appends it to the file. When the queue fills up it compresses less.
 * What passes by is shown to the hits.
 */
#ifndef DWELL_RECORD_BLOCKS_H
#define DWELL_RECORD_BLOCKS_H

#include "common/error.h"
#include "common/writer.h"
#include "record/hits.h"
#include "record/queue.h"

struct blocks;

/* LEVEL 0 writes plain records. All are borrowed until blocks_destroy(). */
struct blocks *blocks_create(struct queue *queue, struct writer *writer,
	struct hits *hits, int level);
void blocks_destroy(struct blocks *blocks);

/*
 * REALTIME is for priority_raise(), or else nice -19. FAILED_FD, an
 * eventfd, is written to once when writing fails; blocks are thrown away then.
 */
struct error *blocks_start(
	struct blocks *blocks, int realtime, int failed_fd) _must_check_;
/* Waits until the closed queue is empty; gives what went wrong. */
struct error *blocks_join(struct blocks *blocks) _must_check_;

#endif
