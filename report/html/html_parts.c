/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/html/html_parts.h"

/* A part before its cell is known. */
struct timed_part {
	struct html_part part;
	uint32_t slice;
	struct thread_ids ids;
};

static int compare_thread_times(const void *a, const void *b)
{
	const struct timed_part *left = a, *right = b;
	int order = COMPARE(left->part.event, right->part.event);

	if (!order)
		order = COMPARE(left->slice, right->slice);
	return order ? order : thread_ids_compare(&left->ids, &right->ids);
}

static int compare_html_parts(const void *a, const void *b)
{
	const struct html_part *left = a, *right = b;
	int order = COMPARE(left->entry, right->entry);

	if (!order)
		order = COMPARE(left->event, right->event);
	if (!order)
		order = COMPARE(left->cell, right->cell);
	return order ? order : COMPARE(left->place, right->place);
}

/* Compares the event, slice and thread of CELL with those of PART. */
static int compare_cell_part(const struct flame *flame,
	const struct flame_cell *cell, const struct timed_part *part)
{
	const struct flame_task *task = &flame->tasks.at[cell->task];
	int order = COMPARE(cell->event, part->part.event);

	if (!order)
		order = COMPARE(cell->slice, part->slice);
	return order ? order : thread_ids_compare(&task->ids, &part->ids);
}

/*
 * Moves PARTS, which are sorted, to RET with the cell of each: the first
 * cell of its event, slice and thread. Cells are in the same order. The cells
 * of an event are numbered from 0.
 */
static void find_part_cells(const struct html_parts_source *source,
	const struct timed_part *parts, size_t n, struct html_parts *ret)
{
	const struct flame *flame = source->flame;
	size_t cell = 0, first = 0, i;

	for (i = 0; i < n; i++) {
		struct html_part part = parts[i].part;

		while (cell < flame->cells.n &&
			compare_cell_part(
				flame, &flame->cells.at[cell], &parts[i]) < 0)
			cell++;
		if (cell == flame->cells.n)
			return;
		while (flame->cells.at[first].event < part.event)
			first++;
		part.cell = (uint32_t)(cell - first);
		if (!compare_cell_part(
			    flame, &flame->cells.at[cell], &parts[i]))
			*array_push(&ret->at) = part;
	}
}

struct timed_parts {
	ARRAY(struct timed_part) at;
};

/*
 * Adds HIT to PARTS if its function is in the page: all its samples, or only
 * the sample with TIME, if not NULL.
 */
static void add_timed_part(const struct html_parts_source *source,
	const uint32_t *entries, const struct sample_address *hit,
	const struct stack_time *time, struct timed_parts *parts)
{
	const struct sample_thread_time *when =
		&source->result->hits.whens.at[hit->when];
	uint32_t entry = entries[resolver_location(
		source->result->resolver, hit->location)
					 ->shown_as];

	if (entry == HTML_PARTS_NONE)
		return;
	*array_push(&parts->at) = (struct timed_part){
		.part = { .entry = entry,
			.event = hit->event,
			.place = hit->place,
			.samples = time ? 1 : hit->samples,
			.period = time ? time->period : hit->period },
		.slice = flame_slice(
			source->slices, time ? time->time : when->time),
		.ids = when->ids,
	};
}

void html_parts_find(const struct html_parts_source *source,
	const uint32_t *entries, struct html_parts *ret)
{
	const struct sample_addresses *hits = &source->result->hits;
	const struct stacks *stacks = &source->result->scan.stacks;
	struct timed_parts parts = { 0 };
	size_t i;

	*ret = (struct html_parts){ 0 };
	for (i = 0; i < hits->by_sample.n; i++)
		if (hits->by_sample.at[i] != HASH_NONE)
			add_timed_part(source, entries,
				&hits->at.at[hits->by_sample.at[i]],
				&stacks->times.at[i], &parts);
	for (i = 0; !hits->by_sample.n && i < hits->at.n; i++)
		add_timed_part(source, entries, &hits->at.at[i], NULL, &parts);
	array_sort(&parts.at, compare_thread_times);
	find_part_cells(source, parts.at.at, parts.at.n, ret);
	array_free(&parts.at);
	array_sort(&ret->at, compare_html_parts);
}

static size_t count_parts_before(
	const struct html_parts *found, uint32_t entry, uint64_t event)
{
	return array_count_before(&found->at, part,
		part->entry < entry ||
			(part->entry == entry && part->event < event));
}

const struct html_part *html_parts_of(const struct html_parts *found,
	uint32_t entry, uint32_t event, size_t *n_ret)
{
	size_t first = count_parts_before(found, entry, event);

	*n_ret = count_parts_before(found, entry, (uint64_t)event + 1) - first;
	return *n_ret ? &found->at.at[first] : NULL;
}
