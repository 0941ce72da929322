/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reorders the samples of a block: samples of the same event, thread and stack
 * are adjacent, next to those that share their outermost callers. Most of a
 * record then repeats the preceding one at the same distance, which compresses
 * well. Small groups are in the order of time, every second one backward.
 */
#ifndef DWELL_RECORD_STREAM_SAMPLE_ORDER_H
#define DWELL_RECORD_STREAM_SAMPLE_ORDER_H

#include "record/symbols/sampled_code.h"

struct sample_order;

/*
 * SAMPLED provides the layouts of the events; borrowed until
 * sample_order_destroy().
 */
struct sample_order *sample_order_create(const struct sampled_code *sampled);
void sample_order_destroy(struct sample_order *order);

/*
 * Returns the samples of RAW, SIZE bytes (at most BLOCK_RAW_MAX), in a better
 * order, borrowed until the next call. Returns RAW if it is not a sequence of
 * complete samples.
 */
const uint8_t *sample_order_sort(
	struct sample_order *order, const uint8_t *raw, size_t size);

#endif
