/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of samples that wait for later batches: the original sample and the
 * sample as it would be written. Limited in number and in time.
 */
#ifndef DWELL_RECORD_UNWIND_DEFERRED_UNWIND_H
#define DWELL_RECORD_UNWIND_DEFERRED_UNWIND_H

#include "common/file/block.h"
#include "record/unwind/unwinding.h"

/* At most 4 MiB of copies. */
#define DEFERRED_UNWIND_MAX 64u
#define DEFERRED_UNWIND_BATCHES_MAX 4u /* that a sample waits for */

struct deferred_unwind {
	struct deferred_sample {
		struct block_info info;	   /* of its block */
		uint8_t *record, *written; /* owned buffers, which only grow */
		size_t record_room, written_room;
		size_t size; /* of WRITTEN */
		struct unwinding_outcome outcome;
		unsigned batches;
	} samples[DEFERRED_UNWIND_MAX];
	size_t n;
};

void deferred_unwind_deinit(struct deferred_unwind *deferred);

/*
 * At the end of a batch, call deferred_unwind_begin(), then
 * deferred_unwind_keep() for the samples that continue to wait, in ascending
 * order of NUMBER, then deferred_unwind_add() to copy new ones. The latter two
 * return false if the sample must be written now.
 */
void deferred_unwind_begin(struct deferred_unwind *deferred);
bool deferred_unwind_keep(struct deferred_unwind *deferred, size_t number);
bool deferred_unwind_add(struct deferred_unwind *deferred,
	const struct block_info *info, const uint8_t *record,
	const uint8_t *written, size_t size,
	const struct unwinding_outcome *outcome);

#endif
