/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that carry counters (PERF_SAMPLE_READ): what each counter has counted
 * since the sample before. So members of a group have periods though nothing
 * but its leader was sampled. Feed it in the order of time.
 */
#ifndef DWELL_REPORT_SCAN_COUNTER_DELTAS_H
#define DWELL_REPORT_SCAN_COUNTER_DELTAS_H

#include "common/file/reader.h"
#include "common/util/hash.h"

struct deltas {
	const struct reader *reader;
	ARRAY(struct delta) counters;
	struct hash_index index;
};

/* Whether any event of READER's recording has such samples. */
bool deltas_are_needed(const struct reader *reader);

void deltas_init(struct deltas *deltas, const struct reader *reader);
void deltas_deinit(struct deltas *deltas);

/*
 * What SAMPLE of *EVENT stands for: itself, or, if it carries counters, a sample
 * of each event that has counted. Call it with *I 0, then again until it says
 * false: each time it sets the sample's period and *EVENT. Counters whose id
 * nobody knows are left out.
 */
bool deltas_next(struct deltas *deltas, struct sample *sample, uint64_t *i,
	uint32_t *event);

#endif
