/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline of exports that draw: from a command line to the tree of a flame
 * graph, with times where samples have them.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_RESULT_H
#define DWELL_REPORT_FLAME_FLAME_RESULT_H

#include "report/flame/flame_make.h"
#include "report/flame/time_bins.h"
#include "report/rows/sample_addresses.h"

struct flame_result {
	struct options options;
	struct result result;
	struct moments moments;
	bool has_times;
	struct flame_slices slices;
	struct flame flame;
	struct hits hits;
};

struct flame_wish {
	bool has_times; /* where samples have some */
	bool has_code;	/* .hits are wanted, too */
	bool is_part;	/* for flame_merge(): all of the tree is there */
};

/* Of OPTIONS, borrowed as long as RET; deinit it also after an error. */
struct error *flame_result_make(const struct options *options,
	const struct flame_wish *wish, struct flame_result *ret) _must_check_;
void flame_result_deinit(struct flame_result *made);

#endif
