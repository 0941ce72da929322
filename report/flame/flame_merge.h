/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trees of several recordings as one, for those who compare them. Functions
 * are one by their names and DSOs, not by addresses: those of another build are
 * others, so that all unknown ones of a DSO are one. When something was counted,
 * and in which thread, isn't kept.
 */
#ifndef DWELL_REPORT_FLAME_FLAME_MERGE_H
#define DWELL_REPORT_FLAME_FLAME_MERGE_H

#include "report/flame/flame.h"

struct flame_part {
	const struct flame *flame; /* arranged, and not shrunk */
	uint32_t first_event; /* what is added to the events of its cells */
};

/* Of N PARTS; names of DSOs are borrowed from them. RET is shrunk and arranged. */
void flame_merge(const struct flame_part *parts, size_t n, struct flame *ret);

#endif
