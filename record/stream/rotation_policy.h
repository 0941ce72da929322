/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When another file begins, and how files are called, as the user wants it. */
#ifndef DWELL_RECORD_STREAM_ROTATION_POLICY_H
#define DWELL_RECORD_STREAM_ROTATION_POLICY_H

#include "common/util/error.h"

struct switching {
	bool has_many;        /* at least when it is asked for */
	bool is_stamped;      /* the time is put behind the name */
	uint64_t size;        /* bytes of a file; 0: no matter */
	uint64_t interval_ns; /* 0: no matter */
	uint64_t n_max;       /* so many are kept; 0: all */
};

/*
 * "signal", "100M" (B, K, M, G) or "30s" (s, m, h, d), as perf has it. N_MAX
 * stays as it is.
 */
struct error *switching_parse(
	const char *text, struct switching *switching) _must_check_;

#endif
