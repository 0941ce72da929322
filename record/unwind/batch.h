/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds blocks of samples with stack copies in several threads (workers), and
 * returns the samples in their original order. All samples of a thread in a
 * batch are unwound by the same worker, and results that help to unwind other
 * threads are used only from the next batch on. The output therefore does not
 * depend on the number of workers. Small batches are unwound by the calling
 * thread.
 *
 * If a stack is longer than its copy and cannot be completed, its sample waits
 * a few batches for further samples of the thread: the sample is deferred.
 *
 * Not thread-safe: only one thread may call batch_*(). No other thread may
 * change the maps at the same time.
 */
#ifndef DWELL_RECORD_UNWIND_BATCH_H
#define DWELL_RECORD_UNWIND_BATCH_H

#include "common/unwind/stack_counts.h"
#include "record/queue/queue.h"
#include "record/unwind/live_unwinding.h"

/* All members are borrowed until batch_destroy(). */
struct batch_setup {
	const struct selection
		*selection; /* events with the attributes for the kernel */
	const struct sampled_code *sampled; /* provides the maps */
	struct file_tracker *tracker;	    /* TRACKER and READER may be NULL */
	struct stack_reader *reader;
	struct runtimes *runtimes; /* may be NULL */
	struct bpf_unwind *bpf;	   /* unwinds in the kernel; or NULL */
	size_t n_threads; /* 0: a quarter of the usable CPUs, at most 8 */
};

struct batch;

/* Returns NULL if dwell cannot unwind on this CPU architecture. */
struct batch *batch_create(const struct batch_setup *setup);
void batch_destroy(struct batch *batch);

/* Call batch_restart() after sampled_code_restart(). Also resets the counts. */
void batch_restart(struct batch *batch);

/*
 * Unwinds all samples of the N BLOCKS. Calls .put for each unwound SAMPLE of
 * SIZE bytes with the INFO of its block, both borrowed for the call.
 */
struct batch_output {
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *sample, size_t size);
	void *data;
};
void batch_unwind(struct batch *batch, struct queue_block *const *blocks,
	size_t n, const struct batch_output *output);
/*
 * Calls .put for all deferred samples, with the part of their stacks that is
 * unwound.
 */
void batch_flush(struct batch *batch, const struct batch_output *output);

/* Prints the methods that --call-graph auto chose and the number of threads. */
void batch_report(const struct batch *batch);
/* Returns the counts of stacks since the last batch_restart(). */
struct stack_counts batch_stacks(const struct batch *batch);

#endif
