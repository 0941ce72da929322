/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/cardinality.h"

/*
 * Which stacks are kept goes by the stack alone, in each run, so it is no hash of
 * common/util/hash.h. Who aims for collisions gets a wrong estimate.
 */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	return hash_fold(hash ^ UINT64_C(0xa0761d6478bd642f),
		word ^ UINT64_C(0xe7037ed1a0b428db));
}

static uint64_t hash_of(const struct sample *sample)
{
	uint64_t hash = mix(mix(sample->tid, sample->pid), sample->ip), i;

	for (i = 0; i < sample->n_chain; i++)
		hash = mix(hash, sample_chain_entry(sample, i));
	return hash;
}

/* At random, as threads may take turns. */
static bool is_turn(struct variety *variety)
{
	if (variety->to_skip) {
		variety->to_skip--;
		return false;
	}
	variety->random = mix(variety->random, VARIETY_EVERY);
	variety->to_skip = (uint32_t)(variety->random >> 32) %
		(2 * VARIETY_EVERY - 1);
	return true;
}

static bool is_kept(const struct variety *variety, uint64_t hash)
{
	return !(hash & ((UINT64_C(1) << variety->halvings) - 1));
}

static uint64_t key_of(uint64_t hash)
{
	return hash_words(hash, 0);
}

static void halve(struct variety *variety)
{
	size_t n = 0;

	variety->halvings++;
	hash_free(&variety->by_hash);
	array_each(&variety->at, stack)
		if (is_kept(variety, stack->hash))
			variety->at.at[n++] = *stack;
	variety->at.n = n;
	for (n = 0; n < variety->at.n; n++)
		hash_insert(&variety->by_hash,
			key_of(variety->at.at[n].hash), (uint32_t)n);
}

static struct variety_stack *find(struct variety *variety, uint64_t hash)
{
	uint64_t key = key_of(hash);
	uint32_t i, probe = hash_start(key);

	while ((i = hash_next(&variety->by_hash, key, &probe)) != HASH_NONE)
		if (variety->at.at[i].hash == hash)
			return &variety->at.at[i];
	hash_insert(&variety->by_hash, key, (uint32_t)variety->at.n);
	*array_push(&variety->at) = (struct variety_stack){ hash, 0 };
	return &variety->at.at[variety->at.n - 1];
}

void variety_see(struct variety *variety, const struct sample *sample)
{
	uint64_t hash;

	if (!is_turn(variety))
		return;
	hash = hash_of(sample);
	if (!is_kept(variety, hash))
		return;
	find(variety, hash)->samples++;
	while (variety->at.n > VARIETY_STACKS_MAX && variety->halvings < 63)
		halve(variety);
}

uint64_t variety_stacks(const struct variety *variety, uint64_t slices)
{
	uint64_t sum = 0;

	array_each(&variety->at, stack)
		sum += MIN(stack->samples * VARIETY_EVERY, slices);
	return sum << variety->halvings;
}

void variety_deinit(struct variety *variety)
{
	array_free(&variety->at);
	hash_free(&variety->by_hash);
}
