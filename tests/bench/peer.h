/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libunwind over the same samples, with accessors of our own. */
#ifndef DWELL_BENCH_PEER_H
#define DWELL_BENCH_PEER_H

#include "stacks.h"

struct peer;
/* NULL: dwell was built without libunwind. */
struct peer *peer_create(struct stacks *stacks);
void peer_destroy(struct peer *peer);
/* Gives how many addresses there are in PCS now. */
size_t peer_unwind(struct peer *peer, const struct stacks_sample *sample,
	uint64_t *pcs, size_t room);

#endif
