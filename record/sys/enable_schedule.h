/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When samples are taken, as -D says: from a time on, in ranges, or when
 * somebody says so. Times count from when the recording goes off.
 */
#ifndef DWELL_RECORD_SYS_ENABLE_SCHEDULE_H
#define DWELL_RECORD_SYS_ENABLE_SCHEDULE_H

#include "common/util/array.h"
#include "common/util/error.h"

struct schedule {
	bool starts_off; /* no samples until the first step */
	/* In order of time; samples are taken from every other one on. */
	ARRAY(struct schedule_step {
		uint64_t after_ns;
		bool is_on;
	}) steps;
};

/*
 * perf's syntax, in milliseconds: "-1" (never of its own), "500", or ranges
 * "10-20,30-40", each behind the one before.
 */
struct error *schedule_parse(
	const char *text, struct schedule *ret) _must_check_;
void schedule_deinit(struct schedule *schedule);

/* Ends with its last step: nothing would be sampled any more. */
bool schedule_has_end(const struct schedule *schedule);

#endif
