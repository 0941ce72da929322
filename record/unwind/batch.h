/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of samples with copies of stacks, unwound by several threads at once
 * and given back in the order in which they came. All samples of a thread in a
 * batch are unwound by the same one, and what samples teach those of other
 * threads counts only from the next batch on: so what comes out doesn't depend
 * on how many there are. Few samples are unwound by the one who asks.
 *
 * A stack that is longer than its copy, and that nobody before it can
 * complete, waits for the next ones of its thread, for a few batches.
 *
 * For one thread. Nobody changes the maps meanwhile.
 */
#ifndef DWELL_RECORD_UNWIND_BATCH_H
#define DWELL_RECORD_UNWIND_BATCH_H

#include "record/queue/queue.h"
#include "record/unwind/unwinding.h"

/* All are borrowed until batch_destroy(). */
struct batch_setup {
	const struct selection *selection; /* as the kernel has it */
	const struct hits *hits; /* whose maps are asked */
	struct keeper *keeper;   /* may be NULL, as may DEPTHS */
	struct depths *depths;
	size_t n_threads; /* 0: a quarter of the CPUs there are, 8 at most */
};

struct batch;

/* NULL if dwell can't unwind on this machine. */
struct batch *batch_create(const struct batch_setup *setup);
void batch_destroy(struct batch *batch);

/* The hits begin anew (hits_restart()), and so do the counts. */
void batch_restart(struct batch *batch);

/*
 * Unwinds all samples of the N BLOCKS. PUT gets each as it goes to the file,
 * borrowed for the call, with what is known of the block it was in.
 */
struct batch_taker {
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *sample, size_t size);
	void *data;
};
void batch_unwind(struct batch *batch, struct queue_block *const *blocks,
	size_t n, const struct batch_taker *taker);
/* PUT gets those that wait for later stacks of their threads, as they are. */
void batch_flush(struct batch *batch, const struct batch_taker *taker);

/* Says what --call-graph auto has chosen, and how many threads there were. */
void batch_tell(const struct batch *batch);
/* The account of this file's stacks. */
struct stacks batch_stacks(const struct batch *batch);

#endif
