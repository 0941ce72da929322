/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters samples by process, thread, user and name (--record-filter). The
 * drain thread queries the filter for each sample, and adds the preceding
 * sideband records to the filter before. Sideband records are never filtered.
 *
 * A term is KEY=VALUES or KEY!=VALUES: "pid=1,2", "tid!=7", "uid=1000,root",
 * "comm=^nginx" (a POSIX extended regex). A sample must match all terms.
 */
#ifndef DWELL_RECORD_STREAM_SAMPLE_FILTER_H
#define DWELL_RECORD_STREAM_SAMPLE_FILTER_H

#include "common/perf/record.h"
#include "common/perf/sample.h"
#include "common/util/completion.h"
#include "common/util/error.h"

struct sample_filter;

/*
 * Parses N terms. RET is NULL if N is 0. sample_filter_destroy() frees RET,
 * also after an error.
 */
struct error *sample_filter_create(const char *const *terms, size_t n,
	struct sample_filter **ret) _must_check_;
void sample_filter_destroy(struct sample_filter *filter);
/* Offers the beginnings of terms. */
COMPLETER(sample_filter_complete);

/* Adds a sideband record with TIME. */
void sample_filter_add_record(struct sample_filter *filter,
	const struct record *record, uint64_t time);
/*
 * Returns true if a sample of thread TID of process PID at TIME is kept. With a
 * uid term, reads one small file of /proc for each process that is new or has
 * executed a program.
 */
bool sample_filter_accepts(struct sample_filter *filter, uint32_t pid,
	uint32_t tid, uint64_t time);
/* Returns the number of rejected samples. Thread-safe. */
uint64_t sample_filter_n_rejected(const struct sample_filter *filter);

/*
 * Selects the wakeups that are kept (--off-cpu): wakeups of threads that left a
 * CPU or of which a sample was kept. A wakeup is a sample of the waking thread,
 * so neither the target nor --record-filter can select the wakeups of a woken
 * thread.
 */
struct sample_filter_wakeups;

/*
 * PLACE is the offset of the TID of the woken thread in the raw data of a
 * wakeup (sched_waking_offset()).
 */
struct sample_filter_wakeups *sample_filter_wakeups_create(size_t place);
void sample_filter_wakeups_destroy(struct sample_filter_wakeups *wakeups);

/* Keeps the wakeups of thread TID from now on. */
void sample_filter_wakeups_add(
	struct sample_filter_wakeups *wakeups, uint32_t tid);
/*
 * Returns true if WAKING, a sample with LAYOUT, wakes a thread that was added
 * with sample_filter_wakeups_add().
 */
bool sample_filter_wakeups_accepts(const struct sample_filter_wakeups *wakeups,
	const struct sample_layout *layout,
	const struct perf_event_header *waking);

#endif
