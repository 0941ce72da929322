/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges the trees of several recordings for comparisons. Functions are
 * identified by name and DSO, because addresses differ between builds. All
 * unknown functions of a DSO become one. Times and threads are not kept.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_MERGE_H
#define DWELL_REPORT_FLAME_FLAME_MERGE_H

#include "report/flame/flame.h"

struct flame_part {
	const struct flame *flame; /* arranged and not reduced */
	uint32_t first_event; /* number that is added to the events of its cells
			       */
};

/*
 * Merges N PARTS into RET, which is reduced and arranged. Names of DSOs are
 * borrowed from PARTS.
 */
void flame_merge(const struct flame_part *parts, size_t n, struct flame *ret);

#endif
