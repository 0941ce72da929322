/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many different stacks there are, by thread and slice of time, estimated
 * before they are counted: for who chooses how finely to tell them apart. It
 * looks at few samples, keeps little of them, and says the same of the same
 * samples in each run. Copies of stacks it doesn't unwind.
 */
#ifndef DWELL_REPORT_SCAN_CARDINALITY_H
#define DWELL_REPORT_SCAN_CARDINALITY_H

#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/hash.h"

/* It looks at one of so many samples, */
#define VARIETY_EVERY 16u
/* and remembers so many stacks at most; of more it keeps every second one. */
#define VARIETY_STACKS_MAX 65536u

/* A zeroed one has seen nothing. */
struct variety {
	ARRAY(struct variety_stack {
		uint64_t hash;
		uint64_t samples;
	}) at;
	struct hash_index by_hash;
	uint32_t halvings;
	uint32_t to_skip; /* samples */
	uint64_t random;
};

void variety_see(struct variety *variety, const struct sample *sample);
/*
 * How many there are where each is told apart in SLICES of time, if it is as
 * likely in all of them.
 */
uint64_t variety_stacks(const struct variety *variety, uint64_t slices);
void variety_deinit(struct variety *variety);

#endif
