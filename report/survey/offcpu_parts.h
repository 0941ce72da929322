/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time that a sample stands for, on a CPU or off-CPU, in parts by thread
 * state. The sample of a context switch stands for the time until its thread
 * ran again: first blocked, then waiting for a CPU. A sample of the event
 * offcpu-waits stands for the time before it (wait_sample.h). Other samples
 * stand for time on a CPU. The context switches were read before (switches.h),
 * so samples may come in any order.
 *
 * Off-CPU time is clipped at both ends of each selected range of time (times.h),
 * wherever its sample is. Time on a CPU belongs to the time of its sample.
 */
#ifndef DWELL_REPORT_SURVEY_OFFCPU_PARTS_H
#define DWELL_REPORT_SURVEY_OFFCPU_PARTS_H

#include "report/survey/offcpu_time.h"

struct offcpu_part {
	enum offcpu_state state;
	uint64_t from; /* its start; OFFCPU_STATE_ON: the time of the sample */
	uint64_t span; /* its length; OFFCPU_STATE_ON: 0 */
	/*
	 * The time that counts: .span off-CPU, or less if the part is of a sum
	 * of short waits, which are anywhere in .span.
	 */
	uint64_t ns;
	bool is_continued; /* not the first part of its sample and state */
};

/* The first part of a sample and state may end at this many quanta. */
#define OFFCPU_QUANTA_MAX 16384u

/*
 * The parts of one sample:
 *
 *	struct offcpu_parts parts = { .offcpu = offcpu };
 *
 *	offcpu_parts_begin(&parts, event, sample, &counts);
 *	while (offcpu_parts_next(&parts))
 *		use parts.part
 */
struct offcpu_parts {
	const struct offcpu *offcpu;
	/*
	 * Parts off-CPU end at multiples of it; 0: at no such time. A time that
	 * covers more than OFFCPU_QUANTA_MAX multiples is not cut after these.
	 */
	uint64_t quantum_ns;

	struct offcpu_part part; /* set by offcpu_parts_next() */

	/* Internal. */
	struct offcpu_counts *counts;
	struct offcpu_part whole[OFFCPU_STATES];
	size_t n, at; /* number of elements of .whole; the current one */
	/* Of the current element: the next range, what is left, and parts. */
	size_t next_range, n_parts;
	struct time_range left;
	bool has_left;
};

/*
 * Begins the parts of SAMPLE of EVENT, a number in the recording. Adds them to
 * COUNTS, borrowed, as they are found. There are none if the sample does not
 * count.
 */
void offcpu_parts_begin(struct offcpu_parts *parts, uint32_t event,
	const struct sample *sample, struct offcpu_counts *counts);
/*
 * Begins the parts of the off-CPU time that starts at SAMPLE's time in SAMPLE's
 * thread.
 */
void offcpu_parts_begin_switch(struct offcpu_parts *parts,
	const struct sample *sample, struct offcpu_counts *counts);
/* Sets PARTS->part to the next part. Returns false if none is left. */
bool offcpu_parts_next(struct offcpu_parts *parts);

#endif
