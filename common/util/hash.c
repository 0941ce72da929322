/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/hash.h"

#include <sys/random.h>

#include "common/util/alloc.h"

#define HASH_MIN_SLOTS 16

uint64_t hash_seed;

static __attribute__((constructor)) void init_hash_seed(void)
{
	if (getrandom(&hash_seed, sizeof(hash_seed), GRND_NONBLOCK) < 0)
		hash_seed = (uintptr_t)&hash_seed;
}

static uint64_t load_hash_word(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/*
 * Hashes four words per step in two lanes, which do not depend on each other.
 * No lane starts with the key: otherwise swapping two words would not change
 * the hash. With the random seed, input cannot be chosen so that a factor of
 * hash_fold() is 0, which would cancel all earlier words.
 */
uint64_t hash_bytes(const void *data, size_t size)
{
	const uint64_t key = hash_seed ^ UINT64_C(0x9e3779b97f4a7c15);
	const uint8_t *at = data;
	uint64_t hash = hash_words(size, 0), lane = hash_fold(hash, key);
	uint64_t word = 0;

	for (; size >= 32; at += 32, size -= 32) {
		hash = hash_fold(hash ^ load_hash_word(at),
			key ^ load_hash_word(at + 8));
		lane = hash_fold(lane ^ load_hash_word(at + 16),
			key ^ load_hash_word(at + 24));
	}
	for (; size >= 8; at += 8, size -= 8)
		hash = hash_fold(hash ^ load_hash_word(at), key);
	if (size)
		memcpy(&word, at, size);
	return hash_words(hash ^ lane, word);
}

static void place_hash_slot(struct hash_index *index, struct hash_slot new)
{
	uint32_t probe = new.hash;

	while (index->slots[probe & index->mask].position)
		probe++;
	index->slots[probe & index->mask] = new;
}

void hash_insert(struct hash_index *index, uint64_t hash, uint32_t position)
{
	if (!index->slots || index->used >= index->mask / 4 * 3) {
		uint32_t n_old = index->slots ? index->mask + 1 : 0;
		uint32_t n = n_old ? n_old * 2 : HASH_MIN_SLOTS;
		struct hash_slot *old = index->slots;
		uint32_t i;

		index->slots = xcalloc(n, sizeof(*index->slots));
		index->mask = n - 1;
		for (i = 0; i < n_old; i++)
			if (old[i].position)
				place_hash_slot(index, old[i]);
		free(old);
	}
	place_hash_slot(
		index, (struct hash_slot){ (uint32_t)hash, position + 1 });
	index->used++;
}

void hash_free(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}
