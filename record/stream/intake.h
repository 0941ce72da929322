/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves records from ring buffers to blocks: replaces the event ID of each
 * record with the canonical ID of its event, counts the record, and appends it
 * to the block of sideband records or of samples. Sideband is always queued
 * before samples. If the queue is full, samples are dropped and counted;
 * sideband is never dropped.
 */
#ifndef DWELL_RECORD_STREAM_INTAKE_H
#define DWELL_RECORD_STREAM_INTAKE_H

#include "common/perf/sample.h"
#include "record/bpf/wait_join.h"
#include "record/open/open.h"
#include "record/queue/queue.h"
#include "record/runtimes/runtimes.h"
#include "record/stream/inherited_tasks.h"
#include "record/stream/runtime_pace.h"
#include "record/stream/sample_filter.h"
#include "record/stream/stack_intake.h"
#include "record/symbols/file_tracker.h"

struct intake;

struct bpf_unwind;

/* Members are borrowed until intake_destroy(); all but two may be NULL. */
struct intake_setup {
	struct event_fds *opened; /* never NULL, as .queue */
	struct queue *queue;
	struct sample_filter *filter; /* NULL: all samples are kept */
	/*
	 * Samples of events per CPU are kept only if they are of these tasks;
	 * NULL: all samples.
	 */
	struct inherited_tasks *target_tasks;
	struct file_tracker *tracker; /* gets all sideband records */
	/*
	 * After each record that maps the file of one of these language
	 * runtimes, a record of the reserved mapping of the runtime is added.
	 */
	const struct runtimes *runtimes;
	struct stack_reader *reader; /* of the part of stacks beyond copies */
	struct bpf_unwind
		*bpf;	    /* unwinds stacks that samples are joined with */
	bool excludes_self; /* drops samples of the recorder (--exclude-perf) */
};

/* intake_destroy() drops all records that were not flushed. */
struct intake *intake_create(const struct intake_setup *setup);
void intake_destroy(struct intake *intake);

/*
 * Returns true if stacks were deep recently: the ring buffers should be drained
 * soon, while the processes still have these stacks in memory.
 */
bool intake_is_urgent(const struct intake *intake);
/* Returns how soon samples of runtimes must be unwound; NULL: there is no limit. */
const struct runtime_pace *intake_pace(const struct intake *intake);

/* Returns the numbers of samples that were made of the waits that BPF measured. */
struct wait_join_counts intake_waits(const struct intake *intake);
/* Returns the number of stacks that BPF wrote and that were read. */
uint64_t intake_kernel_stacks(const struct intake *intake);

/*
 * Starts a round of the drain. All sideband records up to UNTIL (clocks_now())
 * are added before the first sample of this round.
 */
void intake_begin_round(struct intake *intake, uint64_t until);
/* Adds one record of a ring buffer. */
void intake_take(struct intake *intake, const struct perf_event_header *header);
/*
 * Ends the sideband of a round. Called when all sideband records of the round
 * have been added, before the samples.
 */
void intake_end_sideband(struct intake *intake);
/* Ends the wait for stacks of the BPF programs: all ring buffers are empty. */
void intake_end_waits(struct intake *intake);
/*
 * Adds complete synthesized sideband records, which contain their canonical
 * IDs, and records of the BPF programs (bpf_waits.h).
 */
void intake_take_synthesized(
	struct intake *intake, const struct strbuf *records);
/*
 * intake_flush() moves all blocks to the queue. intake_try_flush() does this
 * only if the queue is empty, because waiting blocks that are not full waste
 * memory. It returns true if the blocks were moved.
 */
void intake_flush(struct intake *intake);
bool intake_try_flush(struct intake *intake);
/*
 * Ends the intake: moves all blocks to the queue, including samples that wait
 * for a deferred call chain.
 */
void intake_end(struct intake *intake);

/*
 * intake_switch_file() moves all blocks to the queue, and starts another file
 * with the next record. intake_counts_at_switch() returns the counts at this
 * moment, valid until the next switch, for the thread that takes the last block
 * of the file from the queue.
 */
void intake_switch_file(struct intake *intake);
const struct recorded_counts *intake_counts_at_switch(
	const struct intake *intake);

/* Returns true if the queue is less than half full. */
bool intake_has_room(const struct intake *intake);

/* Sets ON_FORK, which is called for each FORK record. NULL removes it. */
void intake_on_fork(struct intake *intake,
	void (*on_fork)(void *data, const struct record_task *fork),
	void *data);

/*
 * Returns the counts by event, the sideband event last. The counts are
 * borrowed; any thread may read them.
 */
const struct recorded_counts *intake_counts(const struct intake *intake);
uint64_t intake_raw_bytes(const struct intake *intake);

#endif
