/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts call chains that were followed by frame pointers through code without
 * frame pointers. The kernel then finds no caller, or an address where nothing
 * is mapped. Chains that lack callers in another way are not counted, so that
 * the real number is higher.
 */
#ifndef DWELL_RECORD_SYMBOLS_CUT_CHAINS_H
#define DWELL_RECORD_SYMBOLS_CUT_CHAINS_H

#include "common/maps/maps.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

/* A zeroed struct is empty. */
struct cut_chains {
	uint64_t seen; /* samples passed to cut_chains_add() */
	uint64_t n;    /* examined chains with a user part */
	uint64_t cut;  /* of them: chains without all callers */
	ARRAY(uint64_t)
	by_dso; /* .cut by the DSO of the innermost user frame */
};

/*
 * Counts the chain of SAMPLE. USER is the space of its process in MAPS. After
 * the first 1,024 samples, one of 16 samples is examined: the search for the
 * mappings of a chain costs more than the rest of the work for a sample.
 */
void cut_chains_add(struct cut_chains *chains, const struct maps *maps,
	const struct sample *sample, uint32_t user);
/*
 * Appends the names of the files with most cut chains, "clang++, libLLVM.so":
 * at most three, each with more than a tenth of the cut chains.
 */
void cut_chains_put_files(const struct cut_chains *chains,
	const struct maps *maps, struct strbuf *out);
/* Returns whether there are so many cut chains that a message is printed. */
bool cut_chains_are_many(const struct cut_chains *chains);
void cut_chains_deinit(struct cut_chains *chains);

#endif
