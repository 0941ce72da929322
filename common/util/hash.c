/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/hash.h"

#include <sys/random.h>

#include "common/util/alloc.h"

#define HASH_MIN_SLOTS 16

uint64_t hash_seed;

static __attribute__((constructor)) void seed(void)
{
	if (getrandom(&hash_seed, sizeof(hash_seed), GRND_NONBLOCK) < 0)
		hash_seed = (uintptr_t)&hash_seed;
}

static uint64_t word_at(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word;
}

/*
 * Two words a step, in two lanes that don't wait for each other. No lane begins
 * with the key: then two words could change places. The seed keeps anybody from
 * choosing a word that makes a factor, and so all before it, 0.
 */
uint64_t hash_bytes(const void *data, size_t size)
{
	const uint64_t key = hash_seed ^ UINT64_C(0x9e3779b97f4a7c15);
	const uint8_t *at = data;
	uint64_t hash = hash_words(size, 0), lane = hash_fold(hash, key);
	uint64_t word = 0;

	for (; size >= 32; at += 32, size -= 32) {
		hash = hash_fold(hash ^ word_at(at), key ^ word_at(at + 8));
		lane = hash_fold(
			lane ^ word_at(at + 16), key ^ word_at(at + 24));
	}
	for (; size >= 8; at += 8, size -= 8)
		hash = hash_fold(hash ^ word_at(at), key);
	if (size)
		memcpy(&word, at, size);
	return hash_words(hash ^ lane, word);
}

static void place(struct hash_index *index, struct hash_slot new)
{
	uint32_t probe = new.hash;

	while (index->slots[probe & index->mask].position)
		probe++;
	index->slots[probe & index->mask] = new;
}

static void grow(struct hash_index *index)
{
	uint32_t n_old = index->slots ? index->mask + 1 : 0;
	uint32_t n = n_old ? n_old * 2 : HASH_MIN_SLOTS;
	struct hash_slot *old = index->slots;
	uint32_t i;

	index->slots = xcalloc(n, sizeof(*index->slots));
	index->mask = n - 1;
	for (i = 0; i < n_old; i++)
		if (old[i].position)
			place(index, old[i]);
	free(old);
}

void hash_insert(struct hash_index *index, uint64_t hash, uint32_t position)
{
	if (!index->slots || index->used >= index->mask / 4 * 3)
		grow(index);
	place(index, (struct hash_slot){ (uint32_t)hash, position + 1 });
	index->used++;
}

void hash_free(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}
