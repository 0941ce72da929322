/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples with counter values (PERF_SAMPLE_READ): computes by how much each
 * counter has increased since the previous sample. With these differences, the
 * members of a group have periods although only the group leader is sampled.
 * Samples must come in the order of time.
 */
#ifndef DWELL_REPORT_SCAN_COUNTER_DELTAS_H
#define DWELL_REPORT_SCAN_COUNTER_DELTAS_H

#include "common/file/reader.h"
#include "common/util/hash.h"
#include "report/survey/thread_ids.h"

struct counter_deltas {
	const struct reader *reader;
	ARRAY(struct counter_delta) counters;
	struct hash_index index;
};

/* Returns whether samples of READER's recording have counter values. */
bool counter_deltas_are_needed(const struct reader *reader);

void counter_deltas_init(
	struct counter_deltas *deltas, const struct reader *reader);
void counter_deltas_deinit(struct counter_deltas *deltas);

/*
 * Splits SAMPLE of *EVENT into one sample for each event whose counter value
 * has increased. AT is the context of its thread at its time. A sample without
 * counter values is returned once, unchanged.
 * Set *I to 0 for the first call, and call until the function returns false.
 * Each call sets the period of SAMPLE and *EVENT. Counters with unknown IDs are
 * ignored.
 */
bool counter_deltas_next(struct counter_deltas *deltas, struct sample *sample,
	const struct maps_context *at, uint64_t *i, uint32_t *event);

#endif
