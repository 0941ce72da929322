/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User call chains that are stored outside of the sample's own chain: deferred
 * ones, and those by frame pointers behind a stack copy.
 *
 * Deferred user call chains (Linux 6.19): the chain of a sample in the kernel
 * can end in a mark and a cookie instead of the user part. The user part is in
 * a CALLCHAIN_DEFERRED record with the same thread and cookie, one for all
 * samples of one kernel entry. Callers match samples with these records.
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
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

/*
 * Stores the user call chain by frame pointers behind the valid bytes of a
 * stack copy, inside its reserved size, which other readers ignore
 * (doc/format.md). In the sample's own chain, perf would show it before the
 * frames that it unwinds. perf record excludes the chain, and has no callers
 * where unwinding ends.
 */

/* Returns the stored size of N entries in bytes, a multiple of 8. */
size_t frame_pointer_chain_size(uint64_t n);
/*
 * Writes N ENTRIES (u64, unaligned) to AT, frame_pointer_chain_size() bytes.
 * Returns the end.
 */
uint8_t *frame_pointer_chain_put(
	uint8_t *at, const uint8_t *entries, uint64_t n);

/*
 * Sets the chain of SAMPLE to its kernel part and the stored user part, written
 * to OUT, which has room for ROOM entries and must live as long as SAMPLE.
 * SAMPLE is not changed if it has no stored chain, has a user part already, or
 * if ROOM is too small.
 */
void frame_pointer_chain_join(
	struct sample *sample, uint64_t *out, size_t room);

#endif
