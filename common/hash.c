/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/hash.h"

#include <sys/random.h>

#include "common/alloc.h"

#define HASH_MIN_SLOTS 16

uint64_t hash_seed;

static __attribute__((constructor)) void seed(void)
{
	if (getrandom(&hash_seed, sizeof(hash_seed), GRND_NONBLOCK) < 0)
		hash_seed = (uintptr_t)&hash_seed;
}

uint64_t hash_bytes(const void *data, size_t size)
{
	const uint8_t *at = data;
	uint64_t hash = hash_words(size, 0), word;

	for (; size >= sizeof(word); at += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = hash_words(hash, word);
	}
	word = 0;
	memcpy(&word, at, size);
	return hash_words(hash, word);
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
