/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with counter values (PERF_SAMPLE_READ): computes what each counter
 * counted since the previous sample. So members of a group have periods
 * although only the group leader is sampled. Samples must come in the order of
 * time.
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

/* Returns whether samples of READER's recording have counter values. */
bool deltas_are_needed(const struct reader *reader);

void deltas_init(struct deltas *deltas, const struct reader *reader);
void deltas_deinit(struct deltas *deltas);

/*
 * Splits SAMPLE of *EVENT into what it stands for: itself, or, if it has
 * counter values, a sample of each event that has counted. Set *I to 0 for the
 * first call and call until it returns false. Each call sets the sample's
 * period and *EVENT. Counters with unknown IDs are ignored.
 */
bool deltas_next(struct deltas *deltas, struct sample *sample, uint64_t *i,
	uint32_t *event);

#endif
