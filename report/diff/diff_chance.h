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
#include "report/util/diff_style.h"

struct diff_chance_side {
	uint32_t event;		  /* number in the cells of the flame graph */
	uint64_t samples, period; /* of the whole event */
	double seconds;		  /* for DIFF_RATE */
};

/*
 * Bits, lowest first, by node or function: 1 if the difference is not
 * significant. A zero-initialized struct is empty.
 */
struct diff_chance {
	struct strbuf nodes, self, total;
};

/*
 * Adds the bits of FLAME, which is arranged, to RET. SIDES: the baseline, and
 * the other recording.
 */
void diff_chance_find(const struct flame *flame,
	const struct diff_chance_side sides[2], enum diff_measure measure,
	struct diff_chance *ret);
void diff_chance_deinit(struct diff_chance *chance);

#endif
