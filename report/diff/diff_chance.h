/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the frames and functions of two recordings differ by more than
 * chance, for a page that shows them as one tree: as diff_compute() has it of
 * rows, the frames, the functions by themselves and those with all below them
 * each for itself.
 */
#ifndef DWELL_REPORT_DIFF_DIFF_CHANCE_H
#define DWELL_REPORT_DIFF_DIFF_CHANCE_H

#include "common/util/strbuf.h"
#include "report/flame/flame.h"
#include "report/util/diff_style.h"

struct diff_chance_side {
	uint32_t event;		  /* of the tree's cells */
	uint64_t samples, period; /* all of it */
	double seconds;		  /* for DIFF_RATE */
};

/* Bits, lowest first: 1 where it may be chance. A zeroed one is empty. */
struct diff_chance {
	struct strbuf nodes, self, total;
};

/* Of FLAME, which is arranged. SIDES: the baseline, and another. */
void diff_chance_find(const struct flame *flame,
	const struct diff_chance_side sides[2], enum diff_measure measure,
	struct diff_chance *ret);
void diff_chance_deinit(struct diff_chance *chance);

#endif
