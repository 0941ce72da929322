/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing thread: takes blocks from the queue, compresses each into one
 * record, appends it to the file. When the queue fills up it compresses less.
 * What passes by is shown to the hits.
 */
#ifndef DWELL_RECORD_STORE_H
#define DWELL_RECORD_STORE_H

#include "common/error.h"
#include "common/writer.h"
#include "record/hits.h"
#include "record/queue.h"

struct store;

/* LEVEL 0 writes plain records. All are borrowed until store_destroy(). */
struct store *store_create(struct queue *queue, struct writer *writer,
	struct hits *hits, int level);
void store_destroy(struct store *store);

/*
 * REALTIME is the thread's SCHED_FIFO priority; 0: nice -19. FAILED_FD, an
 * eventfd, is written to once when writing fails; blocks are thrown away then.
 */
struct error *store_start(
	struct store *store, int realtime, int failed_fd) _must_check_;
/* Waits until the closed queue is empty; gives what went wrong. */
struct error *store_join(struct store *store) _must_check_;

#endif
