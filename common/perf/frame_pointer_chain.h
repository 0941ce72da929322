/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the user call chain by frame pointers behind the valid bytes of a
 * stack copy, inside its reserved size, which other readers ignore
 * (doc/format.md). In the sample's own chain, perf would show it before the
 * frames that it unwinds. perf record excludes the chain, and has no callers
 * where unwinding ends.
 */
#ifndef DWELL_COMMON_PERF_FRAME_POINTER_CHAIN_H
#define DWELL_COMMON_PERF_FRAME_POINTER_CHAIN_H

#include "common/perf/sample.h"

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
