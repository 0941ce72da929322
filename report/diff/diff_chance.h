/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests which frames and functions of two recordings in one flame graph differ
 * significantly, as diff_compute() does for rows. Frames, functions without
 * callees, and functions with callees are tested separately.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_CHANCE_H
#define DWELL_REPORT_DIFF_DIFF_CHANCE_H

#include "common/util/strbuf.h"
#include "report/flame/flame.h"
#include "report/util/style.h"

struct diff_chance_side {
	uint32_t event;		  /* event number in the cells of the flame
				     graph */
	uint64_t samples, period; /* totals of the event */
	double seconds;		  /* length of the recording; only for
				     STYLE_DIFF_RATE */
};

/*
 * Arrays of bits, lowest bit first, by node (.nodes) or function (.self,
 * .total) of the flame graph: 1 if the difference is not significant. A
 * zero-initialized struct is empty.
 */
struct diff_chance {
	struct strbuf nodes, self, total;
};

/*
 * Adds the bits of all nodes and functions of FLAME to RET. flame_arrange() was
 * called for FLAME. SIDES are the baseline and the other recording.
 */
void diff_chance_find(const struct flame *flame,
	const struct diff_chance_side sides[2], enum style_diff_measure measure,
	struct diff_chance *ret);
void diff_chance_deinit(struct diff_chance *chance);

#endif
