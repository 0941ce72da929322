/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects unwound samples of many blocks in one block, because unwinding
 * reduces a block of stack copies to one percent of its size. The collected
 * block is written when it is full or flushed.
 */
#ifndef DWELL_RECORD_UNWIND_UNWOUND_H
#define DWELL_RECORD_UNWIND_UNWOUND_H

#include "record/unwind/batch.h"

struct unwound;

/*
 * PUT gets each collected block, INFO and RAW, borrowed for the call. BATCH is
 * borrowed until unwound_destroy(), which drops samples that were not flushed.
 */
struct unwound *unwound_create(struct batch *batch,
	void (*put)(
		void *data, const struct block_info *info, const uint8_t *raw),
	void *data);
void unwound_destroy(struct unwound *unwound);

/*
 * Sets the raw size at which a block is written; the default is BLOCK_RAW_MAX.
 */
void unwound_set_block_size(struct unwound *unwound, size_t raw_size);
/* Unwinds all samples of the N BLOCKS and adds them to the collected block. */
void unwound_take(
	struct unwound *unwound, struct queue_block *const *blocks, size_t n);
void unwound_flush(struct unwound *unwound);

#endif
