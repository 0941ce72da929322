/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/pack_hits.h"

#include "report/scan.h"

static int compare_hits(const void *a, const void *b)
{
	const struct pack_hit *left = a, *right = b;

	if (left->dso != right->dso)
		return COMPARE(left->dso, right->dso);
	return COMPARE(left->place, right->place);
}

static void sort_once(struct pack_hits *hits)
{
	size_t kept = 0, i;

	array_sort(&hits->at, compare_hits);
	for (i = 0; i < hits->at.n; i++)
		if (!kept ||
			compare_hits(&hits->at.at[i], &hits->at.at[kept - 1]))
			hits->at.at[kept++] = hits->at.at[i];
	hits->at.n = kept;
}

static void add_frame(const struct maps *maps, const struct frame *frame,
	struct pack_hits *ret)
{
	const struct mapping *mapping =
		maps_find(maps, frame->space, frame->ip);
	struct pack_hit hit = { .place = frame->ip };

	if (!mapping)
		return;
	hit.dso = mapping->dso;
	if (maps_dso(maps, hit.dso)->pid != MAPS_KERNEL_PID)
		hit.place = frame->ip - mapping->start + mapping->offset;
	*array_push(&ret->at) = hit;
}

void pack_hits_find(
	struct input *input, const struct filter *filter, struct pack_hits *ret)
{
	struct scan_request request = { .wants_chains = true,
		.filter = filter };
	struct scan scan;

	if (unwinding_is_needed(input->reader))
		request.unwinding = unwinding_create(
			input->reader, &input->survey, input->files);
	scan_run(input->reader, &input->survey, &request, &scan);
	array_each(&scan.parts, part)
		array_each(&part->frames, frame)
			add_frame(input->survey.maps, frame, ret);
	unwinding_destroy(request.unwinding);
	scan_deinit(&scan);
	sort_once(ret);
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
