/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the addresses in a recording's samples for `dwell pack`: in call
 * chains, in branch stacks, and of accessed data. A hit is one of these
 * addresses, as a DSO and a file offset. Also finds the functions that contain
 * hits.
 */
#ifndef DWELL_REPORT_PACK_PACK_HITS_H
#define DWELL_REPORT_PACK_PACK_HITS_H

#include "common/util/array.h"
#include "report/scan/inputs.h"
#include "report/symbols/symbols.h"

struct pack_hit {
	uint32_t dso;	/* number of the DSO in survey->maps */
	uint64_t place; /* file offset; for the kernel, the address */
};

/*
 * A list of hits. pack_hits_sort() sorts the list by DSO and file offset, and
 * removes duplicates. A zero-initialized struct is empty.
 */
struct pack_hits {
	ARRAY(struct pack_hit) at;
};

/*
 * Number of samples in each DSO, by DSO number. A zero-initialized struct is
 * empty.
 */
struct pack_weights {
	ARRAY(struct pack_weight {
		uint64_t samples, place; /* .place: file offset of one sample in
					    the DSO */
	})
	dsos;
	uint64_t samples; /* number of all samples, also of samples without a
			     DSO */
};
void pack_weights_deinit(struct pack_weights *weights);

/*
 * Adds the addresses in call chains to RET, unsorted. Counts the samples in
 * WEIGHTS, by the DSO of the leaf frame. UNWINDING is NULL if the recording has
 * no stack copies.
 */
void pack_hits_find(struct input *input, const struct filter *filter,
	struct recorded_unwinding *unwinding, struct pack_hits *ret,
	struct pack_weights *weights);
/*
 * Adds the source and target addresses of branches to CODE, and the addresses
 * of accessed data in files or the kernel to DATA, unsorted.
 */
void pack_touched_find(
	struct input *input, struct pack_hits *code, struct pack_hits *data);
void pack_hits_sort(struct pack_hits *hits);
void pack_hits_deinit(struct pack_hits *hits);

/*
 * Collects hits, many of which are equal, in .hits. Duplicates are removed from
 * time to time; hits are omitted when .most different hits are collected.
 */
struct pack_intake {
	struct pack_hits *hits; /* borrowed */
	size_t most;
	size_t limit; /* number of hits at which duplicates are removed next; 0
			 at first */
	bool is_full, has_omitted;
};
void pack_intake_add(struct pack_intake *intake, struct pack_hit hit);

/*
 * Returns the number of consecutive hits in the DSO of hit number FIRST, from
 * FIRST on.
 */
size_t pack_hits_run(const struct pack_hits *hits, size_t first);

/* A function that contains hits. */
struct pack_function {
	const struct symbol *symbol; /* borrowed from the struct symbols, like
					.name */
	const char *name;
	bool is_guess; /* symbols_guess() found the function */
};

/*
 * A list of different functions, sorted by start address. A zero-initialized
 * struct is empty.
 */
struct pack_functions {
	ARRAY(struct pack_function) at;
};

/*
 * Finds the functions that contain the N HITS. All hits are in one DSO, for
 * which symbols_load() was called.
 */
void pack_functions_find(const struct pack_hit *hits, size_t n,
	struct symbols *symbols, struct pack_functions *ret);
void pack_functions_deinit(struct pack_functions *functions);

#endif
