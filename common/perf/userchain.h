/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins samples with deferred user call chains (Linux 6.19). The chain of a
 * sample in the kernel can end in a mark and a cookie instead of the user part.
 * The user part is in a CALLCHAIN_DEFERRED record with the same thread and
 * cookie, one for all samples of one kernel entry. Callers match samples with
 * these records. Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
#ifndef DWELL_COMMON_PERF_USERCHAIN_H
#define DWELL_COMMON_PERF_USERCHAIN_H

#include "common/perf/sample.h"

/* The number of chain entries of the mark and the cookie. */
#define USERCHAIN_MARK_WORDS 2u

struct userchain {
	uint64_t cookie;
	uint64_t n;             /* entries */
	const uint8_t *entries; /* u64 each, unaligned; borrowed */
};

/* Reads CALLCHAIN_DEFERRED. Returns false if it is shorter than its count. */
bool userchain_read(const struct record *record, struct userchain *ret);

/* Returns true if SAMPLE ends in a mark; its last entry is the cookie. */
static inline bool userchain_is_awaited(const struct sample *sample)
{
	uint64_t n = sample->n_chain;

	return unlikely(n >= USERCHAIN_MARK_WORDS &&
		sample_chain_entry(sample, n - USERCHAIN_MARK_WORDS) ==
			ABI_CONTEXT_USER_DEFERRED);
}

/*
 * Writes the record at SAMPLE, of SIZE bytes, to OUT, with the entries of CHAIN
 * (none if NULL) in place of the mark. COUNT_AT is the offset of the chain's
 * entry count. The chain is truncated to the maximum size of a record. Returns
 * the size of the new record.
 */
uint16_t userchain_join(const uint8_t *sample, size_t size, size_t count_at,
	const struct userchain *chain, uint8_t out[RECORD_SIZE_ALIGNED]);

#endif
