/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts lost samples by event and CPU: those that the kernel dropped because a
 * ring buffer was full (PERF_FORMAT_LOST, exact since Linux 6.0; before, a
 * lower bound from LOST records), and those that were dropped because the queue
 * was full. If the counts are exact, samples and lost samples add up to the
 * count of the event.
 */
#ifndef DWELL_RECORD_STREAM_LOSSES_H
#define DWELL_RECORD_STREAM_LOSSES_H

#include "common/perf/loss.h"
#include "record/open/open.h"
#include "record/stream/drain.h"

struct losses;

/* All arguments are borrowed until losses_destroy(). */
struct losses *losses_create(const struct event_fds *opened,
	const struct intake *intake, struct drain *drain);
void losses_destroy(struct losses *losses);

/*
 * Reads all counters, and adds a LOST_SAMPLES record to the drain for each
 * event that lost samples since the last call. Returns true if sideband records
 * were lost since then.
 */
bool losses_read(struct losses *losses);

/*
 * These return the state of the last losses_read(): losses_of() one event on
 * all CPUs, where the sideband event is behind the others; losses_sum() all
 * sampled events. losses_write() appends those of the N entries of ALL that are
 * not empty to OUT.
 */
struct loss losses_of(const struct losses *losses, size_t event);
struct loss losses_sum(const struct losses *losses);
void losses_write(const struct loss *all, size_t n, struct strbuf *out);
/* Prints the same entries as verbose messages. */
void losses_report(const struct losses *losses);

/*
 * Returns the entries of the last losses_read(): one for each event and CPU,
 * always the same number N_RET. losses_recount() updates ALL, a copy of these
 * entries, from COUNTS. What the kernel lost is not changed if it is exact.
 */
const struct loss *losses_all(const struct losses *losses, size_t *n_ret);
void losses_recount(const struct losses *losses,
	const struct recorded_counts *counts, struct loss *all);

#endif
