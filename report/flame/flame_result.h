/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline of exports that draw flame graphs: reads a recording and builds
 * the tree, with times if the samples have times.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_RESULT_H
#define DWELL_REPORT_FLAME_FLAME_RESULT_H

#include "report/flame/flame_make.h"
#include "report/flame/time_bins.h"

struct flame_result {
	struct options options;
	struct result result;
	struct time_bins moments;
	bool has_times;
	struct flame_slices slices;
	struct flame flame;
};

struct flame_config {
	bool has_times; /* use the times of samples if recorded */
	bool has_code;	/* fill result.hits */
	bool is_part;	/* for flame_merge(): keep all nodes */
	enum flame_grouping grouping;
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
