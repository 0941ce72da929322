/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as they have become small: what a megabyte of copied stacks is
 * unwound to fills a block to a hundredth. So the samples of many blocks
 * gather in one, until it is full or somebody wants it out.
 */
#ifndef DWELL_RECORD_UNWIND_UNWOUND_H
#define DWELL_RECORD_UNWIND_UNWOUND_H

#include "record/unwind/batch.h"

struct unwound;

/*
 * PUT gets each block, borrowed for the call. BATCH is borrowed until
 * unwound_destroy(), which drops what was not flushed.
 */
struct unwound *unwound_create(struct batch *batch,
	void (*put)(void *data, const struct block_info *info,
		const uint8_t *raw),
	void *data);
void unwound_destroy(struct unwound *unwound);

/* Raw bytes of a block; until then BLOCK_RAW_MAX. */
void unwound_wish(struct unwound *unwound, size_t raw_size);
/* Takes all samples of the N BLOCKS. */
void unwound_take(struct unwound *unwound,
	struct queue_block *const *blocks, size_t n);
void unwound_flush(struct unwound *unwound);

#endif
