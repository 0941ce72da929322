/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the counted stacks of a result to the tree of a flame graph. */
#ifndef DWELL_REPORT_FLAME_FLAME_MAKE_H
#define DWELL_REPORT_FLAME_FLAME_MAKE_H

#include "report/flame/flame.h"
#include "report/result/result.h"

/* How time is cut: slices of .length from .first on; 0: it isn't. */
struct flame_slices {
	uint64_t first, length;
};

/*
 * Of RESULT, which was counted and is borrowed as long as RET; SLICES are those
 * that its stacks are told apart by. They become longer where RET has too many
 * cells otherwise; more than MOST_NODES it doesn't have.
 */
void flame_make(const struct result *result, struct flame_slices *slices,
	uint32_t most_nodes, struct flame *ret);

#endif
