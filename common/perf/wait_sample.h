/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of the event offcpu-waits, which 'dwell record --off-cpu --min-block'
 * records by BPF. A sample is one wait of its thread, at the time at which the
 * thread ran again, or the sum of short waits with the same stack. The period
 * is the time off-CPU in ns. (perf's event offcpu-time has other raw data.)
 */
#ifndef DWELL_COMMON_PERF_WAIT_SAMPLE_H
#define DWELL_COMMON_PERF_WAIT_SAMPLE_H

#include "common/perf/sample.h"
#include "common/util/strbuf.h"

#define WAIT_SAMPLE_EVENT "offcpu-waits"
#define WAIT_SAMPLE_VERSION 1u

struct wait_sample {
	uint64_t n;			       /* waits */
	uint64_t blocked, runnable, preempted; /* ns */
	uint64_t longest;		       /* ns, of one wait */
	bool is_sum;  /* of waits before the sample's time */
	bool is_open; /* the thread did not run again before the end */
};

/* The recorder adds up the waits of about this time, in ns. */
#define WAIT_SAMPLE_SUM_NS UINT64_C(1000000000)

/* Size of the raw data of a sample, without the size before it. */
#define WAIT_SAMPLE_SIZE 52u

/*
 * Appends WAIT as the raw data of a sample, WAIT_SAMPLE_SIZE bytes: version
 * (u32), flags (u32; 1: a sum, 2: open), .n, .blocked, .runnable, .preempted,
 * .longest (u64 each), zero (u32).
 */
void wait_sample_put(const struct wait_sample *wait, struct strbuf *out);
/*
 * Reads the raw data of SAMPLE. Returns false if they have another version or
 * size.
 */
bool wait_sample_read(
	const struct sample *sample, bool swap, struct wait_sample *ret);

#endif
