/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that stacks.c and stacks_move.c share. */
#ifndef DWELL_REPORT_SCAN_STACKS_PRIVATE_H
#define DWELL_REPORT_SCAN_STACKS_PRIVATE_H

#include "common/perf/record.h"
#include "report/scan/chain.h"

#define CHAIN_MAX (RECORD_SIZE_MAX / 8u)
#define CHAIN_ROOM ((CHAIN_MAX + 1) * CHAIN_NUMBER_SIZE)

struct stacks;

/* Frees the last segment of STACKS. The hash indexes are not updated. */
void stacks_drop_segment(struct stacks *stacks);

#endif
