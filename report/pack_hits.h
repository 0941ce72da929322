/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code of a recording samples hit, with their callers: what `dwell pack`
 * looks up once, so that nobody has to do it again.
 */
#ifndef DWELL_PACK_HITS_H
#define DWELL_PACK_HITS_H

#include "common/array.h"
#include "report/inputs.h"

struct pack_hit {
	uint32_t dso;   /* a number of survey->maps */
	uint64_t place; /* file offset; the address itself for kernel code */
};

/* By DSO, then by place; each once. A zeroed one is empty. */
struct pack_hits {
	ARRAY(struct pack_hit) at;
};

void pack_hits_find(
	struct input *input, const struct filter *filter, struct pack_hits *ret);
void pack_hits_deinit(struct pack_hits *hits);

/* How many of one DSO there are from the hit number FIRST on. */
size_t pack_hits_run(const struct pack_hits *hits, size_t first);

#endif
