/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schedule of -D: when samples are enabled. Times count from the start of
 * the recording.
 */
#ifndef DWELL_RECORD_SYS_SCHEDULE_H
#define DWELL_RECORD_SYS_SCHEDULE_H

#include "common/util/array.h"
#include "common/util/error.h"

struct schedule {
	bool starts_off; /* samples are disabled until the first step */
	/* Sorted by time; steps enable and disable samples in turn. */
	ARRAY(struct schedule_step {
		uint64_t after_ns;
		bool is_on;
	})
	steps;
};

/*
 * Parses perf's syntax, in milliseconds: "-1" (never enable), "500", or ranges
 * "10-20,30-40" in order.
 */
struct error *schedule_parse(
	const char *text, struct schedule *ret) _must_check_;
void schedule_deinit(struct schedule *schedule);

/* Returns whether samples stay disabled after the last step. */
bool schedule_ends(const struct schedule *schedule);

#endif
