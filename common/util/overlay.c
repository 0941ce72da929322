/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/overlay.h"

/* Those that begin at or before where we are; the latest is on top. */
struct heap {
	ARRAY(const struct overlay_range *) at;
};

static void swap(struct heap *heap, size_t i, size_t j)
{
	const struct overlay_range *range = heap->at.at[i];

	heap->at.at[i] = heap->at.at[j];
	heap->at.at[j] = range;
}

static bool is_above(const struct heap *heap, size_t i, size_t j)
{
	return heap->at.at[i]->number > heap->at.at[j]->number;
}

static void push(struct heap *heap, const struct overlay_range *range)
{
	size_t i = heap->at.n;

	*array_push(&heap->at) = range;
	for (; i && is_above(heap, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

static void pop(struct heap *heap)
{
	size_t i = 0;

	swap(heap, 0, --heap->at.n);
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= heap->at.n)
			return;
		if (child + 1 < heap->at.n && is_above(heap, child + 1, child))
			child++;
		if (!is_above(heap, child, i))
			return;
		swap(heap, i, child);
		i = child;
	}
}

static void emit(struct overlay *out, const struct overlay_range *range,
	uint64_t start, uint64_t end)
{
	struct overlay_range *last =
		out->ranges.n ? &out->ranges.at[out->ranges.n - 1] : NULL;

	if (last && last->number == range->number && last->end == start)
		last->end = end;
	else
		*array_push(&out->ranges) = (struct overlay_range){
			start, end, range->number
		};
}

static int compare(const void *a, const void *b)
{
	const struct overlay_range *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->number, right->number);
}

void overlay(struct overlay *ranges)
{
	const struct overlay_range *next = ranges->ranges.at, *end;
	struct overlay out = { 0 };
	struct heap heap = { 0 };
	uint64_t at = 0;

	array_sort(&ranges->ranges, compare);
	end = ranges->ranges.n ? next + ranges->ranges.n : next;
	while (next < end || heap.at.n) {
		uint64_t stop;

		if (!heap.at.n)
			at = next->start;
		while (next < end && next->start == at)
			push(&heap, next++);
		while (heap.at.n && heap.at.at[0]->end <= at)
			pop(&heap);
		if (!heap.at.n)
			continue;
		stop = heap.at.at[0]->end;
		if (next < end)
			stop = MIN(stop, next->start);
		emit(&out, heap.at.at[0], at, stop);
		at = stop;
	}
	array_free(&heap.at);
	overlay_deinit(ranges);
	*ranges = out;
}

void overlay_deinit(struct overlay *ranges)
{
	array_free(&ranges->ranges);
}
