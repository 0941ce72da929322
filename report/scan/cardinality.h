/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the number of different stacks, by thread and slice of time, before
 * they are counted, to choose the length of slices. It uses one in
 * CARDINALITY_EVERY samples and a bounded table. Equal samples give equal
 * estimates in each run. Stack copies are not unwound.
 */
#ifndef DWELL_REPORT_SCAN_CARDINALITY_H
#define DWELL_REPORT_SCAN_CARDINALITY_H

#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* One of so many samples is used. */
#define CARDINALITY_EVERY 16u
/*
 * Limit of stacks in the table; if it is reached, every second one is dropped.
 */
#define CARDINALITY_STACKS_MAX 65536u

/* Zero-initialized it is empty. */
struct cardinality {
	ARRAY(struct cardinality_stack {
		uint64_t hash;
		uint64_t samples;
	})
	at;
	struct hash_index by_hash;
	uint32_t halvings;
	uint32_t to_skip; /* samples */
	uint64_t random;
};

void cardinality_add_sample(
	struct cardinality *cardinality, const struct sample *sample);
/*
 * Returns the number of stacks if each of SLICES of time has its own stacks and
 * all slices are equally likely.
 */
uint64_t cardinality_estimate(
	const struct cardinality *cardinality, uint64_t slices);
void cardinality_deinit(struct cardinality *cardinality);

#endif
