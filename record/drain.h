/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that empties the rings into blocks. Each round: load the heads of
 * all sample rings, drain all sideband rings to their end, then take samples
 * up to those heads; so whatever a sample needs has been read before it.
 *
 * On the way every record gets its event's canonical id and is counted.
 */
#ifndef DWELL_RECORD_DRAIN_H
#define DWELL_RECORD_DRAIN_H

#include "common/error.h"
#include "common/sample.h"
#include "record/open.h"
#include "record/queue.h"

/* What came by, per event. */
struct drain_counts {
	uint64_t samples;      /* put into the queue */
	uint64_t dropped;      /* for want of queue memory */
	uint64_t lost_records; /* the sum of LOST records */
};

struct drain;

/* OPENED and QUEUE are borrowed until drain_destroy(). */
struct error *drain_create(struct opened *opened, struct queue *queue,
	struct drain **ret) _must_check_;
void drain_destroy(struct drain *drain);

/*
 * Puts records of our own (procs, losses) among the sideband of the next
 * round. They have their ids already. Callable from any thread.
 */
void drain_inject(struct drain *drain, const struct strbuf *records);

/* Is told every FORK that is drained; NULL takes it back. Before the start. */
void drain_watch(struct drain *drain,
	void (*see)(void *data, const struct record_task *fork), void *data);

/* One round, by a caller who knows that the thread doesn't run. */
void drain_round(struct drain *drain);
/* Rounds until the rings are empty, then puts what is left into the queue. */
void drain_finish(struct drain *drain);

/*
 * Starts the thread; REALTIME is its SCHED_FIFO priority, 0 for nice -20.
 * drain_stop() ends it; the rings may hold something still.
 */
struct error *drain_start(struct drain *drain, int realtime) _must_check_;
void drain_stop(struct drain *drain);

/* COUNTS has an element per event, sideband last; may be called any time. */
void drain_counts(const struct drain *drain, struct drain_counts *counts);
/* Time of the first and the last sample; both 0 without any. */
void drain_times(const struct drain *drain, uint64_t *first, uint64_t *last);
uint64_t drain_raw_bytes(const struct drain *drain);

#endif
