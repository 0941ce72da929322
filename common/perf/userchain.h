/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deferred user callchains (Linux 6.19): a sample taken in the kernel may end
 * its chain with a mark and a cookie instead of the user's part, which comes
 * in a CALLCHAIN_DEFERRED record of the same thread and cookie, once for all
 * samples of that entry. Here is how both become a whole sample; who waits for
 * whom is decided elsewhere. (linux/perf_event.h, PERF_RECORD_SAMPLE.)
 */
#ifndef DWELL_COMMON_PERF_USERCHAIN_H
#define DWELL_COMMON_PERF_USERCHAIN_H

#include "common/perf/sample.h"

/* The mark and the cookie, which end a chain. */
#define USERCHAIN_MARK_WORDS 2u

struct userchain {
	uint64_t cookie;
	uint64_t n;             /* entries */
	const uint8_t *entries; /* u64 each, unaligned; borrowed */
};

/* CALLCHAIN_DEFERRED; false if it is too short for what it tells. */
bool userchain_read(const struct record *record, struct userchain *ret);

/* Whether SAMPLE lacks its user's part; the last entry is the cookie then. */
static inline bool userchain_is_awaited(const struct sample *sample)
{
	uint64_t n = sample->n_chain;

	return unlikely(n >= USERCHAIN_MARK_WORDS &&
		sample_chain_entry(sample, n - USERCHAIN_MARK_WORDS) ==
			ABI_CONTEXT_USER_DEFERRED);
}

/*
 * Writes the record of SIZE bytes at SAMPLE, which awaits a chain and has the
 * number of its entries COUNT_AT bytes behind its start, to OUT, with CHAIN's
 * entries in place of the mark; NULL: with none. What is too long for a record
 * is cut. Returns its size.
 */
uint16_t userchain_join(const uint8_t *sample, size_t size, size_t count_at,
	const struct userchain *chain, uint8_t out[RECORD_SIZE_ALIGNED]);

#endif
