/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A user's call chain by frame pointers that stands aside, in recordings that
 * keep copies of stacks: behind what the copy holds, but within its room, where
 * other readers don't look (doc/format.md). In the sample's own chain perf would
 * show it in front of what it unwinds; perf record has the kernel leave it out,
 * and then there is nothing that goes on where unwinding ends.
 */
#ifndef DWELL_COMMON_PERF_FRAME_POINTER_CHAIN_H
#define DWELL_COMMON_PERF_FRAME_POINTER_CHAIN_H

#include "common/perf/sample.h"

/* Bytes that N entries take; a multiple of 8. */
size_t aside_size(uint64_t n);
/* Writes N ENTRIES (u64, unaligned) to AT, of aside_size(). Gives its end. */
uint8_t *aside_put(uint8_t *at, const uint8_t *entries, uint64_t n);

/*
 * Makes what stands aside the user's part of SAMPLE's chain, in OUT, which has
 * room for ROOM entries and is borrowed by SAMPLE then. Where nothing does, or
 * it is too long, SAMPLE stays as it is.
 */
void aside_join(struct sample *sample, uint64_t *out, size_t room);

#endif
