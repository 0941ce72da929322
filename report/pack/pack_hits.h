/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the code addresses of a recording's samples and their callers, and
 * other addresses in samples, and finds their functions. `dwell pack` resolves
 * these addresses once and for all.
 */
#ifndef DWELL_REPORT_PACK_PACK_HITS_H
#define DWELL_REPORT_PACK_PACK_HITS_H

#include "common/util/array.h"
#include "report/scan/inputs.h"
#include "report/symbols/symbols.h"

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
/*
 * Adds the sources and targets of branches to CODE and accessed data to DATA,
 * unsorted, if they are in files or in the kernel.
 */
void pack_touched_find(
	struct input *input, struct pack_hits *code, struct pack_hits *data);
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

/* A function that contains hits. */
struct pack_function {
	const struct symbol *symbol; /* borrowed from the symbols, as .name */
	const char *name;
};

/* Sorted by start, each once. A zero-initialized struct is empty. */
struct pack_functions {
	ARRAY(struct pack_function) at;
};

/* Finds the functions of N hits at HITS, of one DSO loaded in SYMBOLS. */
void pack_functions_find(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct pack_functions *ret);
void pack_functions_deinit(struct pack_functions *functions);

#endif
