/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many samples were lost, and where: by the kernel because a ring was
 * full (PERF_FORMAT_LOST, exact since Linux 6.0; else what its LOST records
 * tell, a lower bound), or by us because the queue was.
 */
#ifndef DWELL_RECORD_LOSSES_H
#define DWELL_RECORD_LOSSES_H

#include "common/section.h"
#include "record/drain.h"
#include "record/open.h"

struct losses;

/* All are borrowed until losses_destroy(). */
struct losses *losses_create(const struct opened *opened,
	const struct intake *intake, struct drain *drain);
void losses_destroy(struct losses *losses);

/*
 * Reads all counters; a LOST_SAMPLES record for what each event has lost since
 * the last call goes to the drain. True if sideband was lost since then.
 */
bool losses_read(struct losses *losses);

/* As of the last losses_read(), per event, the sideband's behind the others. */
const struct loss *losses_get(const struct losses *losses);

#endif
