/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes of bytes and words, and an index from hashes to positions in an array
 * that the caller owns. Entries are never removed.
 *
 * The seed is random per process, so that hostile input cannot cause
 * collisions. The order of output must therefore not depend on hashes.
 *
 *	hash_each_match(&index, hash, i)
 *		if (string_is(names[i], name))
 *			return i;
 *	hash_insert(&index, hash, n_names);
 */
#ifndef DWELL_COMMON_UTIL_HASH_H
#define DWELL_COMMON_UTIL_HASH_H

#include "common/util/base.h"

#define HASH_NONE UINT32_MAX

extern uint64_t hash_seed;

/* Folds the 128-bit product of A and B: the mixing step of wyhash. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_words(uint64_t a, uint64_t b)
{
	return hash_fold(a ^ hash_seed ^ UINT64_C(0x9e3779b97f4a7c15),
		b ^ UINT64_C(0xd1b54a32d192ed03));
}

uint64_t hash_bytes(const void *data, size_t size);

static inline uint64_t hash_string(const char *text)
{
	return hash_bytes(text, strlen(text));
}

struct hash_index {
	struct hash_slot {
		uint32_t hash;
		uint32_t position; /* in the array, + 1; 0: empty slot */
	} * slots;
	uint32_t mask, used; /* there are mask + 1 slots, at most 3/4 used */
};

/* Prefetches the first slot of HASH for a later lookup. */
static inline void hash_prefetch(const struct hash_index *index, uint64_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[(uint32_t)hash & index->mask]);
}

/*
 * Returns the next position that was inserted with HASH (its lower 32 bits), or
 * HASH_NONE. *PROBE is HASH at first, and each call advances *PROBE. Only
 * hash_each_match() calls this function.
 */
static inline uint32_t hash_next(
	const struct hash_index *index, uint32_t hash, uint32_t *probe)
{
	const struct hash_slot *slot;

	if (!index->slots)
		return HASH_NONE;
	for (;;) {
		slot = &index->slots[(*probe)++ & index->mask];
		if (!slot->position)
			return HASH_NONE;
		if (slot->hash == hash)
			return slot->position - 1;
	}
}

/*
 * Runs a statement for each position I (declared here, uint32_t) that was
 * inserted with HASH. Other hashes with the same lower 32 bits match as well,
 * so the statement must compare the array element. HASH is evaluated more than
 * once.
 */
#define hash_each_match(index, hash, i)                                 \
	for (uint32_t i, i##_probe = (uint32_t)(hash);                  \
		(i = hash_next(index, (uint32_t)(hash), &i##_probe)) != \
		HASH_NONE;)

void hash_insert(struct hash_index *index, uint64_t hash, uint32_t position);
void hash_free(struct hash_index *index);

#endif
