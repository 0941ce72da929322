/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/address_ranges.h"

/*
 * A binary heap of the ranges that start at or before the current address. The
 * range with the highest number, the latest, is at the top.
 */
struct range_heap {
	ARRAY(const struct address_range *) at;
};

static void swap_heap_ranges(struct range_heap *heap, size_t i, size_t j)
{
	const struct address_range *range = heap->at.at[i];

	heap->at.at[i] = heap->at.at[j];
	heap->at.at[j] = range;
}

static bool is_above_in_heap(const struct range_heap *heap, size_t i, size_t j)
{
	return heap->at.at[i]->number > heap->at.at[j]->number;
}

static void pop_heap_range(struct range_heap *heap)
{
	size_t i = 0;

	swap_heap_ranges(heap, 0, --heap->at.n);
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= heap->at.n)
			return;
		if (child + 1 < heap->at.n &&
			is_above_in_heap(heap, child + 1, child))
			child++;
		if (!is_above_in_heap(heap, child, i))
			return;
		swap_heap_ranges(heap, i, child);
		i = child;
	}
}

static int compare_address_ranges(const void *a, const void *b)
{
	const struct address_range *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->number, right->number);
}

void address_ranges_flatten(struct address_ranges *ranges)
{
	const struct address_range *next = ranges->ranges.at, *end;
	struct address_ranges out = { 0 };
	struct range_heap heap = { 0 };
	uint64_t at = 0;

	array_sort(&ranges->ranges, compare_address_ranges);
	end = ranges->ranges.n ? next + ranges->ranges.n : next;
	while (next < end || heap.at.n) {
		uint64_t stop;

		if (!heap.at.n)
			at = next->start;
		while (next < end && next->start == at) {
			size_t i = heap.at.n;

			*array_push(&heap.at) = next++;
			for (; i && is_above_in_heap(&heap, i, (i - 1) / 2);
				i = (i - 1) / 2)
				swap_heap_ranges(&heap, i, (i - 1) / 2);
		}
		while (heap.at.n && heap.at.at[0]->end <= at)
			pop_heap_range(&heap);
		if (!heap.at.n)
			continue;
		stop = heap.at.at[0]->end;
		if (next < end)
			stop = MIN(stop, next->start);
		struct address_range *last =
			out.ranges.n ? &out.ranges.at[out.ranges.n - 1] : NULL;

		if (last && last->number == heap.at.at[0]->number &&
			last->end == at)
			last->end = stop;
		else
			*array_push(&out.ranges) = (struct address_range){ at,
				stop, heap.at.at[0]->number };
		at = stop;
	}
	array_free(&heap.at);
	address_ranges_free(ranges);
	*ranges = out;
}

void address_ranges_free(struct address_ranges *ranges)
{
	array_free(&ranges->ranges);
}
