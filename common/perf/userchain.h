/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User call chains that are stored outside of the sample's own call chain:
 * deferred call chains, and frame-pointer call chains behind a stack copy.
 *
 * Deferred user call chains (Linux 6.19): the call chain of a sample in the
 * kernel can end in a mark (PERF_CONTEXT_USER_DEFERRED) and a cookie instead of
 * the user part. The user part is in a CALLCHAIN_DEFERRED record with the same
 * thread and cookie, one record for all samples of one kernel entry. The caller
 * matches samples with CALLCHAIN_DEFERRED records.
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
#ifndef DWELL_COMMON_PERF_USERCHAIN_H
#define DWELL_COMMON_PERF_USERCHAIN_H

#include "common/perf/sample.h"

/* Call chain entries of PERF_CONTEXT_USER_DEFERRED and its cookie. */
#define USERCHAIN_MARK_WORDS 2u

struct userchain {
	uint64_t cookie;
	uint64_t n;		/* number of entries */
	const uint8_t *entries; /* u64 each, unaligned; borrowed */
};

/* Reads a CALLCHAIN_DEFERRED record. Returns false if RECORD is too short. */
bool userchain_read(const struct record *record, struct userchain *ret);

/*
 * Returns true if SAMPLE's user call chain is deferred. The last entry of
 * SAMPLE's own call chain is then the cookie.
 */
static inline bool userchain_is_awaited(const struct sample *sample)
{
	uint64_t n = sample->n_chain;

	return unlikely(n >= USERCHAIN_MARK_WORDS &&
		sample_chain_entry(sample, n - USERCHAIN_MARK_WORDS) ==
			ABI_CONTEXT_USER_DEFERRED);
}

/*
 * Writes the record at SAMPLE, of SIZE bytes, to OUT, with the entries of CHAIN
 * (none if NULL) instead of the deferred mark and the cookie. COUNT_AT is the
 * offset of the call chain's entry count in the record. The call chain is
 * shortened to the maximum size of a record. Returns the size of the new
 * record.
 */
uint16_t userchain_join(const uint8_t *sample, size_t size, size_t count_at,
	const struct userchain *chain, uint8_t out[RECORD_SIZE_ALIGNED]);

/*
 * frame_pointer_chain_*() store the user call chain by frame pointers behind
 * the valid bytes of a stack copy, inside the reserved size of the stack copy.
 * perf ignores bytes there (doc/format.md). If the frame-pointer chain were in
 * the sample's own call chain, perf would show it before the frames that perf
 * unwinds. perf record does not record a frame-pointer chain with stack copies,
 * and has no callers where unwinding ends.
 */

/* Returns the stored size of a chain of N entries in bytes, a multiple of 8. */
size_t userchain_frames_size(uint64_t n);
/*
 * Writes a chain of N ENTRIES (u64, unaligned) to AT, in
 * userchain_frames_size() bytes. Returns the end of the written bytes.
 */
uint8_t *userchain_frames_put(uint8_t *at, const uint8_t *entries, uint64_t n);

/*
 * Sets the call chain of SAMPLE to its kernel part and the frame-pointer chain
 * stored behind its stack copy. The new call chain is written to OUT, which has
 * room for ROOM entries and must live as long as SAMPLE. SAMPLE is not changed
 * if it has no stored chain, has a user part already, or if ROOM is too small.
 */
void userchain_frames_join(struct sample *sample, uint64_t *out, size_t room);

#endif
