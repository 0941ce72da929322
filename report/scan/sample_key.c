/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/sample_key.h"

static bool is_at(const struct takes *takes, size_t i, take_value *value,
	const char *data)
{
	return takes->values[i] == value && takes->data[i] == data;
}

bool takes_add(struct takes *takes, take_value *value, const char *data)
{
	size_t i;

	for (i = 0; i < takes->n; i++)
		if (is_at(takes, i, value, data))
			return true;
	if (takes->n == STACKS_VALUES_MAX)
		return false;
	takes->data[takes->n] = data;
	takes->values[takes->n++] = value;
	return true;
}

size_t takes_slot(
	const struct takes *takes, take_value *value, const char *data)
{
	size_t i = 0;

	while (!is_at(takes, i, value, data))
		i++;
	return i;
}

/* PERF_SAMPLE_WEIGHT_STRUCT has three parts, the first of 32 bits. */
uint64_t take_weight(const struct take_source *source)
{
	uint64_t weight = source->sample->weight;

	return source->type & PERF_SAMPLE_WEIGHT ? weight : (uint32_t)weight;
}

uint64_t take_state(const struct take_source *source)
{
	return source->state;
}

uint32_t takes_context(const struct takes *takes, struct stacks *stacks,
	uint32_t context, const struct take_source *source)
{
	struct context plain = stacks->contexts.at[context];
	struct take_source asked = *source;
	uint64_t values[STACKS_VALUES_MAX];
	size_t i;

	if (!takes->n || plain.is_rest)
		return context;
	for (i = 0; i < takes->n; i++) {
		asked.data = takes->data[i];
		values[i] = takes->values[i](&asked);
	}
	return stacks_context_with(stacks, &plain, values, takes->n);
}

uint64_t takes_period(
	const struct takes *takes, const struct take_source *source)
{
	return takes->mode == TAKE_WEIGHTS
		? MAX(take_weight(source), UINT64_C(1))
		: source->sample->period;
}

/* As perf does: what is counted is branches, not events between samples. */
void takes_count_branches(const struct takes *takes, struct stacks *stacks,
	uint32_t context, const struct take_source *taken,
	struct take_totals *totals)
{
	const struct sample *sample = taken->sample;
	struct take_source source = *taken;
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
			takes_context(takes, stacks, context, &source),
			&counted);
	}
}
