/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts lost samples by event and CPU: samples that the kernel dropped because
 * a ring buffer was full (PERF_FORMAT_LOST, exact since Linux 6.0; before, a
 * lower bound from LOST records), and samples that were dropped because the
 * queue was full. If the counts are exact, recorded and lost samples add up to
 * the count of the event.
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
 * were lost since the last call.
 */
bool losses_read(struct losses *losses);

/*
 * losses_of() and losses_sum() return the losses at the last losses_read(),
 * summed over all CPUs: losses_of() of one event, where the index behind the
 * last sampled event is the sideband event; losses_sum() of all sampled events.
 * losses_write() appends the entries of ALL, N elements, that are not empty to
 * OUT.
 */
struct loss losses_of(const struct losses *losses, size_t event);
struct loss losses_sum(const struct losses *losses);
void losses_write(const struct loss *all, size_t n, struct strbuf *out);
/*
 * Prints the losses of each event and CPU that are not empty as verbose
 * messages.
 */
void losses_report(const struct losses *losses);

/*
 * losses_all() returns the losses at the last losses_read(): one entry for each
 * event and CPU. The number of entries, N_RET, is always the same.
 * losses_recount() updates ALL, a copy of these entries, from COUNTS. If the
 * kernel reports exact losses, losses_recount() does not change loss.kernel.
 */
const struct loss *losses_all(const struct losses *losses, size_t *n_ret);
void losses_recount(const struct losses *losses,
	const struct recorded_counts *counts, struct loss *all);

#endif
