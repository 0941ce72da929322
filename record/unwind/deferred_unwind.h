/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that wait for what comes after their batch, in memory of their own:
 * as they came, and as they would be written. So many, and so long.
 */
#ifndef DWELL_RECORD_UNWIND_DEFERRED_UNWIND_H
#define DWELL_RECORD_UNWIND_DEFERRED_UNWIND_H

#include "common/file/block.h"
#include "record/unwind/unwinding.h"

/* 4 MiB of copies at most. */
#define WAITING_MAX 64u
#define WAITING_BATCHES_MAX 4u /* that one is waiting for */

struct waiting {
	struct waiting_sample {
		struct block_info info;	   /* of the block that it was in */
		uint8_t *record, *written; /* owned; they only grow */
		size_t record_room, written_room;
		size_t size;		   /* of what would be written */
		struct unwinding_told told;
		unsigned batches;
	} samples[WAITING_MAX];
	size_t n;
};

void waiting_deinit(struct waiting *waiting);

/*
 * A batch's end: from waiting_begin() on those stay that waiting_keep() names,
 * in the order in which they are, and then what waiting_add() copies. Both are
 * false if one has to go.
 */
void waiting_begin(struct waiting *waiting);
bool waiting_keep(struct waiting *waiting, size_t number);
bool waiting_add(struct waiting *waiting, const struct block_info *info,
	const uint8_t *record, const uint8_t *written, size_t size,
	const struct unwinding_told *told);

#endif
