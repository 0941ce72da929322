/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rotation of files: when the next file starts, and how the files are
 * named.
 */
#ifndef DWELL_RECORD_STREAM_ROTATION_POLICY_H
#define DWELL_RECORD_STREAM_ROTATION_POLICY_H

#include "common/util/error.h"

struct rotation {
	bool has_many;	      /* there can be several files */
	bool is_stamped;      /* the time is appended to the name */
	uint64_t size;	      /* maximum bytes of a file; 0: no limit */
	uint64_t interval_ns; /* 0: no limit */
	uint64_t n_max; /* maximum number of files that are kept; 0: all */
};

/*
 * Parses TEXT, as in perf: "signal", a size such as "100M" (B, K, M, G) or a
 * time such as "30s" (s, m, h, d). Does not change N_MAX.
 */
struct error *rotation_parse(
	const char *text, struct rotation *rotation) _must_check_;

#endif
