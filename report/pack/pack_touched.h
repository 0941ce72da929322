/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What samples name beside the code that they ran in and its callers: where
 * branches came from and went to, and which data were accessed.
 */
#ifndef DWELL_REPORT_PACK_PACK_TOUCHED_H
#define DWELL_REPORT_PACK_PACK_TOUCHED_H

#include "report/pack/pack_hits.h"

/* Adds both, unsorted, as far as they lie in files or in the kernel. */
void pack_touched_find(struct input *input, struct pack_hits *code,
	struct pack_hits *data);

#endif
