/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the code addresses of a recording's samples and their callers.
 * `dwell pack` resolves these addresses once and for all.
 */
#ifndef DWELL_REPORT_PACK_PACK_HITS_H
#define DWELL_REPORT_PACK_PACK_HITS_H

#include "common/util/array.h"
#include "report/scan/inputs.h"

struct pack_hit {
	uint32_t dso;	/* number of the DSO in survey->maps */
	uint64_t place; /* file offset; the address itself for kernel code */
};

/*
 * Sorted by DSO, then by place; each once. A zero-initialized struct is empty.
 */
struct pack_hits {
	ARRAY(struct pack_hit) at;
};

/*
 * Number of samples in each DSO, by its number. A zero-initialized struct is
 * empty.
 */
struct pack_weights {
	ARRAY(struct pack_weight {
		uint64_t samples, place; /* a sampled one */
	})
	dsos;
	uint64_t samples; /* total, with or without a DSO */
};
void pack_weights_deinit(struct pack_weights *weights);

/*
 * Adds the addresses in samples' call chains to RET, unsorted. UNWINDING is
 * NULL if there are no stack copies. WEIGHTS counts the sampled addresses only.
 */
void pack_hits_find(struct input *input, const struct filter *filter,
	struct unwinding *unwinding, struct pack_hits *ret,
	struct pack_weights *weights);
/* Returns the hit at ADDRESS, which MAPPING covers. */
struct pack_hit pack_hits_at(const struct maps *maps,
	const struct mapping *mapping, uint64_t address);
void pack_hits_sort(struct pack_hits *hits);
void pack_hits_deinit(struct pack_hits *hits);

/*
 * Adds hits with many duplicates to .hits: memory is used only for different
 * hits, and no more are added after .most.
 */
struct pack_intake {
	struct pack_hits *hits; /* borrowed */
	size_t most;
	size_t limit; /* sort at this number; 0: the minimum */
	bool is_full, has_omitted;
};
void pack_intake_add(struct pack_intake *intake, struct pack_hit hit);

/* Returns the number of hits of one DSO from hit FIRST on. */
size_t pack_hits_run(const struct pack_hits *hits, size_t first);

#endif
