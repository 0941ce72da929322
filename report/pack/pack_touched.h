/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds further addresses in samples: sources and targets of branches, and
 * accessed data.
 */
#ifndef DWELL_REPORT_PACK_PACK_TOUCHED_H
#define DWELL_REPORT_PACK_PACK_TOUCHED_H

#include "report/pack/pack_hits.h"

/* Adds both, unsorted, if they are in files or in the kernel. */
void pack_touched_find(
	struct input *input, struct pack_hits *code, struct pack_hits *data);

#endif
