/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_parts.h"

static uint32_t hit_slice(
	const struct flame_slices *slices, const struct sample_thread_time *when)
{
	if (!slices->length || when->time < slices->first)
		return 0;
	return (uint32_t)((when->time - slices->first) / slices->length);
}

static int compare_slice_task(
	const struct html_part *a, const struct html_part *b)
{
	int order = COMPARE(a->slice, b->slice);

	if (!order)
		order = COMPARE(a->pid, b->pid);
	return order ? order : COMPARE(a->tid, b->tid);
}

static int compare_html_parts(const void *a, const void *b)
{
	const struct html_part *left = a, *right = b;
	int order = COMPARE(left->entry, right->entry);

	if (!order)
		order = COMPARE(left->event, right->event);
	if (!order)
		order = compare_slice_task(left, right);
	return order ? order : COMPARE(left->place, right->place);
}

void html_parts_find(const struct sample_addresses *hits, const struct resolver *resolver,
	const struct flame_slices *slices, const uint32_t *entries,
	struct html_parts *ret)
{
	*ret = (struct html_parts){ 0 };
	array_each(&hits->at, hit) {
		const struct sample_thread_time *when = &hits->whens.at[hit->when];
		uint32_t entry =
			entries[resolver_location(resolver, hit->location)
					->shown_as];

		if (entry != HTML_PARTS_NONE)
			*array_push(&ret->at) = (struct html_part){ entry,
				hit->event, hit_slice(slices, when), when->pid,
				when->tid, hit->place, hit->samples,
				hit->period };
	}
	array_sort(&ret->at, compare_html_parts);
}

void html_parts_deinit(struct html_parts *parts)
{
	array_free(&parts->at);
}

static size_t count_parts_before(
	const struct html_parts *parts, uint32_t entry, uint64_t event)
{
	return array_count_before(&parts->at, part,
		part->entry < entry ||
			(part->entry == entry && part->event < event));
}

const struct html_part *html_parts_of(const struct html_parts *parts,
	uint32_t entry, uint32_t event, size_t *n_ret)
{
	size_t first = count_parts_before(parts, entry, event);

	*n_ret = count_parts_before(parts, entry, (uint64_t)event + 1) - first;
	return *n_ret ? &parts->at.at[first] : NULL;
}
