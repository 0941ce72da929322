/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that could not be read: how many, and where the first one is. */
#ifndef DWELL_REPORT_SURVEY_DAMAGE_H
#define DWELL_REPORT_SURVEY_DAMAGE_H

#include "common/util/base.h"

struct damage {
	uint64_t n;
	uint64_t first; /* its position, as `script -D` tells; if n */
};

/* N more, the first of them at FIRST. */
static inline void damage_add(struct damage *damage, uint64_t n, uint64_t first)
{
	if (n && (!damage->n || first < damage->first))
		damage->first = first;
	damage->n += n;
}

#endif
