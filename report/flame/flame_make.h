/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the tree of a flame graph from the counted stacks of a result. */
#ifndef DWELL_REPORT_FLAME_FLAME_MAKE_H
#define DWELL_REPORT_FLAME_FLAME_MAKE_H

#include "report/flame/flame.h"
#include "report/result/result.h"
#include "report/util/flame_grouping.h"

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
	uint32_t most_nodes, enum flame_grouping grouping, struct flame *ret);

#endif
