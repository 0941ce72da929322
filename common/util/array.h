/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing array of any type. A zero-initialized array is empty. Elements move
 * when the array grows: keep indexes, not pointers.
 *
 *	ARRAY(struct block_info) blocks = { 0 };
 *	array_push(&blocks)->kind = BLOCK_SAMPLES;
 *	array_each(&blocks, block)
 *		use(block);
 *	array_free(&blocks);
 */
#ifndef DWELL_COMMON_UTIL_ARRAY_H
#define DWELL_COMMON_UTIL_ARRAY_H

#include "common/util/alloc.h"
#include "common/util/base.h"

#define ARRAY(...)               \
	struct {                 \
		__VA_ARGS__ *at; \
		size_t n, room;  \
	}

/*
 * Appends a zeroed element. Returns the element's address, valid until a push.
 */
#define array_push(a)                                                  \
	({                                                             \
		if ((a)->n == (a)->room) {                             \
			(a)->room = (a)->room ? (a)->room * 2 : 8;     \
			(a)->at = xrealloc_array(                      \
				(a)->at, (a)->room, sizeof(*(a)->at)); \
		}                                                      \
		memset(&(a)->at[(a)->n], 0, sizeof(*(a)->at));         \
		&(a)->at[(a)->n++];                                    \
	})
/* .at of an empty array may be NULL, and C does not allow NULL + 0. */
#define array_each(a, x) \
	for (typeof(*(a)->at) *x = (a)->at; x && x < (a)->at + (a)->n; x++)
#define array_sort(a, compare) \
	((a)->n ? qsort((a)->at, (a)->n, sizeof(*(a)->at), compare) : (void)0)
/* For array_sort() and qsort(): by the uint64_t that each element begins with. */
static inline int array_compare_u64(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return COMPARE(left, right);
}

/*
 * Searches the COUNT sorted elements at START by bisection. Returns the index
 * of the first element X for which the expression IS_BEFORE is false, or COUNT.
 * The elements must be sorted so that IS_BEFORE is true for the first elements
 * and false for all others.
 */
#define sorted_count_before(start, count, x, is_before)               \
	({                                                            \
		size_t low = 0, high = (count);                       \
		while (low < high) {                                  \
			size_t middle = low + (high - low) / 2;       \
			const typeof(*(start)) *x = &(start)[middle]; \
			if (is_before)                                \
				low = middle + 1;                     \
			else                                          \
				high = middle;                        \
		}                                                     \
		low;                                                  \
	})
#define array_count_before(a, x, is_before) \
	sorted_count_before((a)->at, (a)->n, x, is_before)
#define array_clear(a) ((a)->n = 0)
#define array_free(a)                   \
	({                              \
		free((a)->at);          \
		(a)->at = NULL;         \
		(a)->n = (a)->room = 0; \
	})

#endif
