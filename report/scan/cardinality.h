/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the number of different stacks, by thread and slice of time, before
 * the stacks are counted, to choose the length of slices. The estimate uses one
 * in CARDINALITY_EVERY samples and a bounded table. Equal samples give equal
 * estimates in each run. Stack copies are not unwound.
 */
#ifndef DWELL_REPORT_SCAN_CARDINALITY_H
#define DWELL_REPORT_SCAN_CARDINALITY_H

#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* One in CARDINALITY_EVERY samples is used for the estimate. */
#define CARDINALITY_EVERY 16u
/*
 * Limit of the stacks in the table. At the limit, every second stack is
 * dropped.
 */
#define CARDINALITY_STACKS_MAX 65536u

/* A zero-initialized struct has no stacks. */
struct cardinality {
	ARRAY(struct cardinality_stack {
		uint64_t hash;
		uint64_t samples;
	})
	at;
	struct hash_index by_hash;
	uint32_t halvings;
	uint32_t to_skip; /* samples until the next one that is used */
	uint64_t random;
};

void cardinality_add_sample(
	struct cardinality *cardinality, const struct sample *sample);
/*
 * Returns the estimated number of stacks if time is divided into SLICES, each
 * slice has its own stacks, and all slices have equally many samples.
 */
uint64_t cardinality_estimate(
	const struct cardinality *cardinality, uint64_t slices);
void cardinality_deinit(struct cardinality *cardinality);

#endif
