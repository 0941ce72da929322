/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of records that could not be read, and the position of the first.
 */
#ifndef DWELL_REPORT_SURVEY_DAMAGE_H
#define DWELL_REPORT_SURVEY_DAMAGE_H

#include "common/util/base.h"

struct damage {
	uint64_t n;
	/*
	 * position in the file of the first damaged record, as in `script -D`;
	 * valid if .n > 0
	 */
	uint64_t first;
};

/*
 * Adds N damaged records to DAMAGE. FIRST is the position in the file of the
 * first of the N records.
 */
static inline void damage_add(struct damage *damage, uint64_t n, uint64_t first)
{
	if (n && (!damage->n || first < damage->first))
		damage->first = first;
	damage->n += n;
}

#endif
