/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reorders the samples of a block: samples of the same event, thread and stack
 * are adjacent, next to samples that share their outermost callers. Most bytes
 * of a record then repeat the preceding record at the same distance, which
 * compresses well. Samples of a small group are in the order of time, in every
 * second group backward.
 */
#ifndef DWELL_RECORD_STREAM_SAMPLE_ORDER_H
#define DWELL_RECORD_STREAM_SAMPLE_ORDER_H

#include "record/symbols/sampled_code.h"

struct sample_order;

/*
 * SAMPLED contains the sample layouts of the events; borrowed until
 * sample_order_destroy().
 */
struct sample_order *sample_order_create(const struct sampled_code *sampled);
void sample_order_destroy(struct sample_order *order);

/*
 * Returns the samples of RAW, SIZE bytes (at most BLOCK_RAW_MAX), in an order
 * that compresses better. The result is borrowed until the next call. Returns
 * RAW if it is not a sequence of complete samples.
 */
const uint8_t *sample_order_sort(
	struct sample_order *order, const uint8_t *raw, size_t size);

#endif
