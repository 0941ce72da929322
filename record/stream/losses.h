/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many samples were lost, of which event, where and why: by the kernel
 * because a ring was full (PERF_FORMAT_LOST, exact since Linux 6.0; else what
 * its LOST records tell, a lower bound), or by us because the queue was. With
 * exact counts, samples and losses add up to what the event counted.
 */
#ifndef DWELL_RECORD_STREAM_LOSSES_H
#define DWELL_RECORD_STREAM_LOSSES_H

#include "common/perf/loss.h"
#include "record/open/open.h"
#include "record/stream/drain.h"

struct losses;

/* All are borrowed until losses_destroy(). */
struct losses *losses_create(const struct opened *opened,
	const struct intake *intake, struct drain *drain);
void losses_destroy(struct losses *losses);

/*
 * Reads all counters; a LOST_SAMPLES record for what each event has lost since
 * the last call goes to the drain. True if sideband was lost since then.
 */
bool losses_read(struct losses *losses);

/*
 * As of the last losses_read(): of one event on all CPUs, the sideband's being
 * behind the others; and the sum of all that are sampled. losses_write()
 * appends those of N lines to OUT where something was sampled or lost.
 */
struct loss losses_of(const struct losses *losses, size_t event);
struct loss losses_sum(const struct losses *losses);
void losses_write(const struct loss *all, size_t n, struct strbuf *out);
/* The same lines as verbose messages. */
void losses_tell(const struct losses *losses);

/*
 * As of the last losses_read(): a line for each event and CPU, of which there
 * are always N. losses_recount() changes such lines, a copy, to what COUNTS
 * tell; what the kernel lost stays, if that was exact.
 */
const struct loss *losses_all(const struct losses *losses, size_t *n_ret);
void losses_recount(const struct losses *losses, const struct counts *counts,
	struct loss *all);

#endif
