/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU time of clock events (cpu-clock, task-clock) that has no sample,
 * because the event's timer skipped periods. What the event counted is compared
 * with its samples and its lost samples. Time in which the kernel throttled the
 * event is not included: the kernel does not count that time exactly.
 */
#ifndef DWELL_RECORD_STREAM_UNSAMPLED_TIME_H
#define DWELL_RECORD_STREAM_UNSAMPLED_TIME_H

#include "common/file/section.h"
#include "record/open/open.h"
#include "record/queue/recorded_counts.h"

struct unsampled_time;

/*
 * OPENED and COUNTS, the counts of all samples, are borrowed until
 * unsampled_time_destroy().
 */
struct unsampled_time *unsampled_time_create(
	const struct event_fds *opened, const struct recorded_counts *counts);
void unsampled_time_destroy(struct unsampled_time *time);

/*
 * Reads the counters of the clock events at the end of a file. Samples after
 * SINCE (clock_now_ns()) may be in the next file. Called by the drain, or when
 * the drain has ended, and once for each unsampled_time_end_file().
 */
void unsampled_time_read(struct unsampled_time *time, uint64_t since);
/*
 * Appends the entries of the file that ended with the last
 * unsampled_time_read() to SECTION. COUNTS are the counts of all samples until
 * that reading.
 */
void unsampled_time_end_file(struct unsampled_time *time,
	const struct recorded_counts *counts, struct strbuf *section);
/*
 * Prints the unsampled time of each event in the whole recording as notes, each
 * with a remedy.
 */
void unsampled_time_print(const struct unsampled_time *time);

#endif
