/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/cardinality.h"

/*
 * A hash with a fixed key, because the selection of stacks must be the same in
 * each run; the hash of common/util/hash.h has a random seed. Crafted
 * collisions only make the estimate wrong.
 */
static uint64_t mix_cardinality(uint64_t hash, uint64_t word)
{
	return hash_fold(hash ^ UINT64_C(0xa0761d6478bd642f),
		word ^ UINT64_C(0xe7037ed1a0b428db));
}

static bool is_kept_hash(const struct cardinality *cardinality, uint64_t hash)
{
	return !(hash & ((UINT64_C(1) << cardinality->halvings) - 1));
}

static uint64_t table_key(uint64_t hash)
{
	return hash_words(hash, 0);
}

void cardinality_add_sample(
	struct cardinality *cardinality, const struct sample *sample)
{
	uint64_t hash, key, i;
	size_t n;

	/*
	 * Skip a random number of samples, because threads may alternate
	 * regularly.
	 */
	if (cardinality->to_skip) {
		cardinality->to_skip--;
		return;
	}
	cardinality->random =
		mix_cardinality(cardinality->random, CARDINALITY_EVERY);
	cardinality->to_skip = (uint32_t)(cardinality->random >> 32) %
		(2 * CARDINALITY_EVERY - 1);
	hash = mix_cardinality(
		mix_cardinality(sample->tid, sample->pid), sample->ip);
	for (i = 0; i < sample->n_chain; i++)
		hash = mix_cardinality(hash, sample_chain_entry(sample, i));
	if (!is_kept_hash(cardinality, hash))
		return;
	key = table_key(hash);
	hash_each_match(&cardinality->by_hash, key, at)
		if (cardinality->at.at[at].hash == hash) {
			cardinality->at.at[at].samples++;
			return;
		}
	hash_insert(&cardinality->by_hash, key, (uint32_t)cardinality->at.n);
	*array_push(&cardinality->at) = (struct cardinality_stack){ hash, 1 };
	while (cardinality->at.n > CARDINALITY_STACKS_MAX &&
		cardinality->halvings < 63) {
		cardinality->halvings++;
		hash_free(&cardinality->by_hash);
		n = 0;
		array_each(&cardinality->at, stack)
			if (is_kept_hash(cardinality, stack->hash))
				cardinality->at.at[n++] = *stack;
		cardinality->at.n = n;
		for (n = 0; n < cardinality->at.n; n++)
			hash_insert(&cardinality->by_hash,
				table_key(cardinality->at.at[n].hash),
				(uint32_t)n);
	}
}

uint64_t cardinality_estimate(
	const struct cardinality *cardinality, uint64_t slices)
{
	uint64_t sum = 0;

	array_each(&cardinality->at, stack)
		sum += MIN(stack->samples * CARDINALITY_EVERY, slices);
	return sum << cardinality->halvings;
}

void cardinality_deinit(struct cardinality *cardinality)
{
	array_free(&cardinality->at);
	hash_free(&cardinality->by_hash);
}
