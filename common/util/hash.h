/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashing of bytes and words, and an index from hash to position in an array
 * that somebody else owns (entries are never removed).
 *
 * The seed is random per process, so that hostile input can't aim for
 * collisions. Orders that a user sees must therefore never come from a hash.
 *
 *	uint32_t i, probe = hash_start(hash);
 *	while ((i = hash_next(&index, hash, &probe)) != HASH_NONE)
 *		if (things[i] is the one)
 *			return i;
 *	hash_insert(&index, hash, n_things);
 */
#ifndef DWELL_COMMON_UTIL_HASH_H
#define DWELL_COMMON_UTIL_HASH_H

#include "common/util/base.h"

#define HASH_NONE UINT32_MAX

extern uint64_t hash_seed;

/* 64x64 -> 128 bit multiply, folded: the mixing step of the wyhash family. */
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
		uint32_t position; /* + 1; 0 is an empty slot */
	} *slots;
	uint32_t mask, used; /* mask + 1 slots; at most 3/4 of them used */
};

/* For who will ask for HASH soon. */
static inline void hash_prefetch(const struct hash_index *index, uint64_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[(uint32_t)hash & index->mask]);
}

static inline uint32_t hash_start(uint64_t hash)
{
	return (uint32_t)hash;
}

/* Gives the next position stored under HASH, or HASH_NONE. */
static inline uint32_t hash_next(
	const struct hash_index *index, uint64_t hash, uint32_t *probe)
{
	const struct hash_slot *slot;

	if (!index->slots)
		return HASH_NONE;
	for (;;) {
		slot = &index->slots[(*probe)++ & index->mask];
		if (!slot->position)
			return HASH_NONE;
		if (slot->hash == (uint32_t)hash)
			return slot->position - 1;
	}
}

void hash_insert(struct hash_index *index, uint64_t hash, uint32_t position);
void hash_free(struct hash_index *index);

#endif
