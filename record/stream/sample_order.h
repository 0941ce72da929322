/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of samples within a block: those of one event, thread and stack
 * stand together, beside those that share its outermost callers. So most of a
 * record repeats the one before it, at the same distance, and that costs next
 * to nothing when it is compressed. Small groups are in order of time, every
 * other one backward.
 */
#ifndef DWELL_RECORD_STREAM_SAMPLE_ORDER_H
#define DWELL_RECORD_STREAM_SAMPLE_ORDER_H

#include "record/symbols/sampled_code.h"

struct arrange;

/* HITS knows the events' layouts; borrowed until arrange_destroy(). */
struct arrange *arrange_create(const struct hits *hits);
void arrange_destroy(struct arrange *arrange);

/*
 * Gives the samples of RAW, SIZE bytes (BLOCK_RAW_MAX at most), in a better
 * order, borrowed until the next call; or RAW, if that isn't whole samples.
 */
const uint8_t *arrange_samples(
	struct arrange *arrange, const uint8_t *raw, size_t size);

#endif
