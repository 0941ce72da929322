/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that carry counters (PERF_SAMPLE_READ): what each counter has counted
 * since the sample before. So members of a group have periods though nothing
 * but its leader was sampled. Feed it in the order of time.
 */
#ifndef DWELL_DELTAS_H
#define DWELL_DELTAS_H

#include "common/hash.h"
#include "common/reader.h"

struct deltas {
	const struct reader *reader;
	ARRAY(struct delta) counters;
	struct hash_index index;
};

/* Whether any event of READER's recording has such samples. */
bool deltas_are_needed(const struct reader *reader);

void deltas_init(struct deltas *deltas, const struct reader *reader);
void deltas_deinit(struct deltas *deltas);

struct delta_count {
	uint32_t event;
	uint64_t period; /* 0: nothing was counted */
};
/*
 * Number I of the counters of SAMPLE, which is EVENT's. False where nobody
 * knows its id.
 */
bool deltas_take(struct deltas *deltas, const struct sample *sample,
	uint32_t event, uint64_t i, struct delta_count *ret);

#endif
