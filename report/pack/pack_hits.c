/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack/pack_hits.h"

#include "common/util/alloc.h"
#include "report/scan/scan.h"

/* Minimum number of hits to sort. */
#define INTAKE_MIN ((size_t)1 << 16)

static int compare_pack_hits(const void *a, const void *b)
{
	const struct pack_hit *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->place, right->place);
}

void pack_hits_sort(struct pack_hits *hits)
{
	size_t kept = 0, i;

	array_sort(&hits->at, compare_pack_hits);
	for (i = 0; i < hits->at.n; i++)
		if (!kept ||
			compare_pack_hits(
				&hits->at.at[i], &hits->at.at[kept - 1]))
			hits->at.at[kept++] = hits->at.at[i];
	hits->at.n = kept;
}

struct pack_hit pack_hits_at(const struct maps *maps,
	const struct mapping *mapping, uint64_t address)
{
	struct pack_hit hit = { mapping->dso, address };

	if (maps_dso(maps, hit.dso)->pid != MAPS_KERNEL_PID)
		hit.place = address - mapping->start + mapping->offset;
	return hit;
}

void pack_weights_deinit(struct pack_weights *weights)
{
	array_free(&weights->dsos);
}

static void add_hit_weight(struct pack_weights *weights,
	const struct pack_hit *hit, uint64_t samples)
{
	while (weights->dsos.n <= hit->dso)
		array_push(&weights->dsos);
	weights->dsos.at[hit->dso].samples += samples;
	weights->dsos.at[hit->dso].place = hit->place;
}

/*
 * Returns the number of samples with each frame as the sampled one, not as a
 * caller, by frame number. The caller frees it. Adds all samples to WEIGHTS.
 */
static uint64_t *count_frame_samples(
	const struct stacks *part, struct pack_weights *weights)
{
	uint64_t *samples = xcalloc(part->frames.n + 1, sizeof(*samples));
	uint32_t i;

	for (i = 0; i < stacks_n(part); i++) {
		const struct stack *stack = stacks_at(part, i);
		const struct context *context =
			&part->contexts.at[stack->context];
		struct chain chain = stacks_chain(part, i);

		if (context->is_filtered || context->is_dropped ||
			context->is_rest || chain_is_empty(&chain))
			continue;
		weights->samples += stack->samples;
		samples[chain_next(&chain)] += stack->samples;
	}
	return samples;
}

static void add_part_hits(const struct stacks *part, const struct maps *maps,
	struct pack_hits *hits, struct pack_weights *weights)
{
	_cleanup_free_ uint64_t *samples = count_frame_samples(part, weights);
	size_t i;

	for (i = 0; i < part->frames.n; i++) {
		const struct frame *frame = &part->frames.at[i];
		const struct mapping *mapping =
			maps_find(maps, frame->space, frame->ip);
		struct pack_hit hit;

		if (!mapping)
			continue;
		hit = pack_hits_at(maps, mapping, frame->ip);
		*array_push(&hits->at) = hit;
		if (samples[i])
			add_hit_weight(weights, &hit, samples[i]);
	}
}

void pack_hits_find(struct input *input, const struct filter *filter,
	struct unwinding *unwinding, struct pack_hits *ret,
	struct pack_weights *weights)
{
	struct scan_request request = {
		.wants_chains = true, .filter = filter, .unwinding = unwinding
	};
	struct scan scan;

	scan_run(input->reader, &input->survey, &request, &scan);
	array_each(&scan.parts, part)
		add_part_hits(part, input->survey.maps, ret, weights);
	scan_deinit(&scan);
}

static void sort_intake(struct pack_intake *intake)
{
	pack_hits_sort(intake->hits);
	intake->limit = MAX(INTAKE_MIN, 2 * intake->hits->at.n);
	intake->is_full = intake->hits->at.n >= intake->most;
}

void pack_intake_add(struct pack_intake *intake, struct pack_hit hit)
{
	if (intake->hits->at.n >= intake->limit)
		sort_intake(intake);
	if (intake->is_full)
		intake->has_omitted = true;
	else
		*array_push(&intake->hits->at) = hit;
}

void pack_hits_deinit(struct pack_hits *hits)
{
	array_free(&hits->at);
}

size_t pack_hits_run(const struct pack_hits *hits, size_t first)
{
	size_t i = first;

	while (i < hits->at.n && hits->at.at[i].dso == hits->at.at[first].dso)
		i++;
	return i - first;
}
