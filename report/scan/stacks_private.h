/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of report/scan/stacks.h share. */
#ifndef DWELL_REPORT_SCAN_STACKS_PRIVATE_H
#define DWELL_REPORT_SCAN_STACKS_PRIVATE_H

#include "common/perf/record.h"
#include "report/scan/chain.h"

#define CHAIN_MAX (RECORD_SIZE_MAX / 8u)
#define CHAIN_ROOM ((CHAIN_MAX + 1) * CHAIN_NUMBER_SIZE)

struct stacks;

/* The last one; the indexes aren't told. */
void stacks_drop_segment(struct stacks *stacks);

#endif
