/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline of exports that draw flame graphs: reads a recording and builds
 * the tree, with times if the samples have times.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_RESULT_H
#define DWELL_REPORT_FLAME_FLAME_RESULT_H

#include "report/flame/flame.h"
#include "report/flame/time_bins.h"
#include "report/result/result.h"
#include "report/util/style.h"

/* Builds the tree of a flame graph from the counted stacks of a result. */

/* Slices of time: .length ns each, from .first on; .length 0: no slices. */
struct flame_slices {
	uint64_t first, length;
};

/* Returns the number of the slice of TIME, 0 without slices or before .first. */
uint32_t flame_slice(const struct flame_slices *slices, uint64_t time);

/*
 * Builds RET from RESULT, which is counted and borrowed until flame_deinit().
 * SLICES are the time slices of RESULT's stacks; the slices become longer if
 * RET has too many cells. RET has at most MOST_NODES nodes. The children of the
 * root are "[others]" and the frames of GROUPING: processes, threads, or the
 * outermost functions of the stacks.
 */
void flame_make(const struct result *result, struct flame_slices *slices,
	uint32_t most_nodes, enum style_flame_grouping grouping,
	struct flame *ret);

struct flame_result {
	struct options options;
	struct result result;
	struct time_bins time_bins;
	bool has_times;
	struct flame_slices slices;
	struct flame flame;
};

struct flame_config {
	bool has_times; /* use the times of samples if recorded */
	bool has_code;	/* fill result.hits */
	bool is_part;	/* for flame_merge(): keep all nodes */
	enum style_flame_grouping grouping;
};

/*
 * Runs the pipeline for OPTIONS, which are borrowed until
 * flame_result_deinit(). The caller frees RET also after an error.
 */
struct error *flame_result_make(const struct options *options,
	const struct flame_config *config,
	struct flame_result *ret) _must_check_;
void flame_result_deinit(struct flame_result *made);

#endif
