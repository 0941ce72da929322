/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From records to blocks: each record that comes out of a ring gets its
 * event's canonical id, is counted, and is put into the block for sideband or
 * the one for samples. Sideband always goes into the queue first. When the
 * queue is full, samples are dropped and counted; sideband never is.
 */
#ifndef DWELL_RECORD_STREAM_RING_INTAKE_H
#define DWELL_RECORD_STREAM_RING_INTAKE_H

#include "common/perf/sample.h"
#include "record/open/open.h"
#include "record/queue/queue.h"
#include "record/stream/copying.h"
#include "record/stream/inherited_tasks.h"
#include "record/stream/sample_filter.h"
#include "record/symbols/file_tracker.h"

struct intake;

/*
 * OPENED and QUEUE are borrowed until intake_destroy(), which drops what was
 * not flushed.
 */
struct intake *intake_create(struct opened *opened, struct queue *queue);
void intake_destroy(struct intake *intake);

/* KEEPER is told of all sideband from now on; borrowed. */
void intake_tell(struct intake *intake, struct keeper *keeper);

/* How samples with copies of stacks are taken; borrowed. */
struct copying *intake_copying(struct intake *intake);

/* From now on samples of the recorder itself are neither kept nor counted. */
void intake_leave_out_own(struct intake *intake);

/*
 * A new round begins: all sideband up to UNTIL (clocks_now()) comes
 * before the first sample of this round.
 */
void intake_begin(struct intake *intake, uint64_t until);
/* One record from a ring. */
void intake_take(struct intake *intake, const struct perf_event_header *header);
/* All sideband of the round was taken; to be called before its samples come. */
void intake_settle(struct intake *intake);
/* Whole sideband records of our own, which have their ids already. */
void intake_take_own(struct intake *intake, const struct strbuf *records);
/*
 * Puts what there is into the queue. The second does so only if the writer
 * keeps up, and tells: half-full blocks that wait are a waste of memory.
 */
void intake_flush(struct intake *intake);
bool intake_try_flush(struct intake *intake);
/* The same at the end, with samples that have waited for their callchain. */
void intake_end(struct intake *intake);

/*
 * The same, and what comes later goes into another file. intake_turned() tells
 * whoever takes that block from the queue what had come by until then, as
 * intake_counts() does; until the next turn.
 */
void intake_turn(struct intake *intake);
const struct counts *intake_turned(const struct intake *intake);

/* Whether the writer keeps up: the queue isn't half full. */
bool intake_has_room(const struct intake *intake);

/* Is told every FORK that comes by; NULL takes it back. */
void intake_watch(struct intake *intake,
	void (*see)(void *data, const struct record_task *fork), void *data);

/* Which samples are kept; borrowed. NULL, as at first: all. */
void intake_use(struct intake *intake, struct sieve *sieve);
/* Whose samples are kept of events of whole CPUs; as above. */
void intake_follow(struct intake *intake, struct kin *kin);

/* Sideband is the last event. Borrowed; to be looked at by any thread. */
const struct counts *intake_counts(const struct intake *intake);
/* Samples of the recorder itself, among the others. */
uint64_t intake_own_samples(const struct intake *intake);
uint64_t intake_raw_bytes(const struct intake *intake);

#endif
