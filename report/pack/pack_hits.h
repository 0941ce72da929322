/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which code of a recording samples hit, with their callers: what `dwell pack`
 * looks up once, so that nobody has to do it again.
 */
#ifndef DWELL_REPORT_PACK_PACK_HITS_H
#define DWELL_REPORT_PACK_PACK_HITS_H

#include "common/util/array.h"
#include "report/scan/inputs.h"

struct pack_hit {
	uint32_t dso;   /* a number of survey->maps */
	uint64_t place; /* file offset; the address itself for kernel code */
};

/* Sorted, by DSO, then by place; each once. A zeroed one is empty. */
struct pack_hits {
	ARRAY(struct pack_hit) at;
};

/* How often samples hit each DSO, by its number. A zeroed one is empty. */
struct pack_weights {
	ARRAY(struct pack_weight {
		uint64_t samples, place; /* one of them */
	}) dsos;
	uint64_t samples; /* in all */
};
void pack_weights_deinit(struct pack_weights *weights);

/*
 * Adds what is in samples' callchains; they are to be sorted. UNWINDING is NULL
 * where there are no copies of stacks. What was sampled itself adds to WEIGHTS.
 */
void pack_hits_find(struct input *input, const struct filter *filter,
	struct unwinding *unwinding, struct pack_hits *ret,
	struct pack_weights *weights);
/* The one at ADDRESS, which MAPPING covers. */
struct pack_hit pack_hits_at(const struct maps *maps,
	const struct mapping *mapping, uint64_t address);
void pack_hits_sort(struct pack_hits *hits);
void pack_hits_deinit(struct pack_hits *hits);

/*
 * What adds hits to .hits of which some may come any number of times: there is
 * memory for those that differ, and no more are taken once there are .most.
 */
struct pack_intake {
	struct pack_hits *hits; /* borrowed */
	size_t most;
	size_t limit; /* that many are sorted; 0: the least there is */
	bool is_full, has_omitted;
};
void pack_intake_add(struct pack_intake *intake, struct pack_hit hit);

/* How many of one DSO there are from the hit number FIRST on. */
size_t pack_hits_run(const struct pack_hits *hits, size_t first);

#endif
