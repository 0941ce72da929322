/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/sample_key.h"
#include "common/perf/abi.h"

size_t sample_keys_slot(const struct sample_keys *sample_keys,
	sample_key_value *value, const char *data)
{
	size_t i = 0;

	while (i < sample_keys->n &&
		(sample_keys->values[i] != value ||
			sample_keys->data[i] != data))
		i++;
	return i;
}

bool sample_keys_add(struct sample_keys *sample_keys, sample_key_value *value,
	const char *data)
{
	if (sample_keys_slot(sample_keys, value, data) < sample_keys->n)
		return true;
	if (sample_keys->n == STACKS_VALUES_MAX)
		return false;
	sample_keys->data[sample_keys->n] = data;
	sample_keys->values[sample_keys->n++] = value;
	return true;
}

/*
 * ABI_SAMPLE_WEIGHT_STRUCT has three numbers; the weight is the first, of 32
 * bits.
 */
uint64_t sample_key_weight(const struct sample_key_source *source)
{
	uint64_t weight = source->sample->weight;

	return source->type & PERF_SAMPLE_WEIGHT ? weight : (uint32_t)weight;
}

uint64_t sample_key_state(const struct sample_key_source *source)
{
	return source->state;
}

uint32_t sample_keys_context(const struct sample_keys *sample_keys,
	struct stacks_raw *stacks, uint32_t context,
	struct sample_key_source *source)
{
	const struct context *plain = &stacks->table.contexts.at[context];
	uint64_t values[STACKS_VALUES_MAX];
	size_t i;

	if (!sample_keys->n || plain->is_rest)
		return context;
	for (i = 0; i < sample_keys->n; i++) {
		source->data = sample_keys->data[i];
		values[i] = sample_keys->values[i](source);
	}
	return stacks_context_with(
		&stacks->table, plain, values, sample_keys->n);
}

uint64_t sample_keys_period(const struct sample_keys *sample_keys,
	const struct sample_key_source *source)
{
	return sample_keys->mode == SAMPLE_COUNT_WEIGHTS
		? MAX(sample_key_weight(source), UINT64_C(1))
		: source->sample->period;
}

/* Like perf, counts branches: the period of the sample is not used. */
void sample_keys_count_branches(const struct sample_keys *sample_keys,
	struct stacks_raw *stacks, uint32_t context,
	const struct sample_key_source *taken, struct sample_totals *totals)
{
	const struct sample *sample = taken->sample;
	struct sample_key_source source = *taken;
	struct sample branch = *sample;
	uint64_t i;

	branch.period = 1;
	branch.cpumode = STACKS_ANY_MODE;
	source.sample = &branch;
	for (i = 0; i < sample->n_branches; i++) {
		struct stack_sample counted;

		memcpy(&source.branch,
			sample->branches + i * sizeof(source.branch),
			sizeof(source.branch));
		branch.ip = source.branch.to;
		counted = stack_sample_of(&branch, false);
		totals->samples++;
		totals->period++;
		stacks_add(stacks,
			sample_keys_context(
				sample_keys, stacks, context, &source),
			&counted);
	}
}
