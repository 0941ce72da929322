/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds samples with libunwind, for comparison with dwell's unwinder. Memory,
 * registers and CFI come from struct stacks.
 */
#ifndef DWELL_BENCH_PEER_H
#define DWELL_BENCH_PEER_H

#include "stacks.h"

struct peer;
/* Returns NULL if dwell was built without libunwind. */
struct peer *peer_create(struct stacks *stacks);
void peer_destroy(struct peer *peer);
/* Unwinds SAMPLE into PCS, of ROOM entries. Returns the number of frames. */
size_t peer_unwind(struct peer *peer, const struct stacks_sample *sample,
	uint64_t *pcs, size_t room);

#endif
