/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of an interpreter in a record. */
#ifndef DWELL_RECORD_BPF_LINKED_FRAME_BPF_H
#define DWELL_RECORD_BPF_LINKED_FRAME_BPF_H

#include "record/bpf/walk.bpf.h"

/* Limit of contexts, of which only some are frames. */
#define CONTEXTS_MAX (2 * CHAIN_LINKED_MAX)

/* Returns the cookie of the code object at CODE; that of 0 if it cannot be read. */
static __always_inline u64 cookie_of(
	const struct chain_runtime *runtime, u64 code)
{
	unsigned long long words[4] = {};

	if (bpf_probe_read_user(words, 16, (void *)(code + runtime->cookie)) ||
		bpf_probe_read_user(
			&words[2], 8, (void *)(code + runtime->cookie_third)) ||
		bpf_probe_read_user(
			&words[3], 8, (void *)(code + runtime->cookie_fourth)))
		words[0] = words[1] = words[2] = words[3] = 0;
	return chain_cookie(words);
}

/* Appends a frame with the code object of WALK to RECORD, which has room. */
static __always_inline void put_frame(struct linked_walk *walk,
	struct chain_record *record, u64 where, u8 mark)
{
	u32 at = walk->first + CHAIN_LINKED_WORDS * walk->n;

	if (at > CHAIN_WORDS_MAX - CHAIN_LINKED_WORDS)
		return;
	record->pcs[at] = walk->code;
	record->pcs[at + 1] = where;
	record->pcs[at + 2] = walk->cookie | (u64)mark << CHAIN_MARK_SHIFT;
	walk->hash = mix_hash(
		mix_hash(walk->hash, walk->code ^ walk->cookie), where);
	walk->n++;
}

#endif
