/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arithmetic of counters: sums, differences, and the estimate of a count
 * whose counter was shared with other events. Makes no system calls.
 */
#ifndef DWELL_RECORD_STAT_READING_H
#define DWELL_RECORD_STAT_READING_H

#include "common/util/base.h"

/*
 * What read(2) returns for a counter. If there are more events than counters,
 * the kernel counts each event only for a part of the time (multiplexing).
 */
struct reading {
	uint64_t value;
	uint64_t enabled; /* ns that the event was enabled */
	uint64_t running; /* ns that the event was counted */
};

/* Adds MORE to SUM. A sum that does not fit is UINT64_MAX. */
void reading_add(struct reading *sum, const struct reading *more);
/*
 * Returns what was counted between BEFORE and NOW. A counter never decreases; a
 * difference below 0 is 0.
 */
struct reading reading_since(
	const struct reading *now, const struct reading *before);

/* Returns false if the event was never counted: its value says nothing. */
bool reading_is_counted(const struct reading *reading);
/*
 * Returns the value, or the estimate for the whole enabled time if the event
 * was counted for a part of it; 0 if it was not counted.
 */
double reading_estimate(const struct reading *reading);

/*
 * What read(2) returns, in words (perf_event_open(2), "Reading results"): a
 * value and both times, or with PERF_FORMAT_GROUP the number of events, both
 * times and the value of each event.
 */
#define READING_HEAD_WORDS 3u
/*
 * Take the reading of a single event, or of the event with index MEMBER of a
 * group, from N_WORDS words at WORDS. If these are too few, RET stays.
 */
void reading_take(const uint64_t *words, size_t n_words, struct reading *ret);
void reading_take_member(const uint64_t *words, size_t n_words, size_t member,
	struct reading *ret);

#endif
