/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/sample_order.h"

#include "common/file/block.h"
#include "common/util/alloc.h"
#include "common/util/array.h"

#define SIZE_MIN (RECORD_HEADER_SIZE + 8) /* with an id */

/*
 * So many samples or fewer stay in order of time. perf puts each sample in its
 * place by walking from the one before it: larger groups compress less, and
 * smaller ones make it walk more often from one end of a block to the other.
 */
#define GROUP_MAX 16u

/* A sample as a string of words. */
struct item {
	const uint8_t *record;
	uint64_t time;
	uint16_t size;
	uint16_t ip, tid;   /* offsets, 0: not there */
	uint16_t chain_end; /* where the outermost caller ends */
	uint16_t n_chain;
};

struct arrange {
	const struct hits *hits;
	ARRAY(struct item) items;
	bool is_backward; /* the last group went back in time */
	uint8_t out[BLOCK_RAW_MAX];
};

struct arrange *arrange_create(const struct hits *hits)
{
	struct arrange *arrange = xmalloc(sizeof(*arrange));

	arrange->hits = hits;
	arrange->items = (typeof(arrange->items)){ 0 };
	arrange->is_backward = false;
	return arrange;
}

void arrange_destroy(struct arrange *arrange)
{
	if (!arrange)
		return;
	array_free(&arrange->items);
	free(arrange);
}

static uint64_t load(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

enum {
	WORD_HEADER, /* with the size: equal sizes repeat at equal distances */
	WORD_ID,
	WORD_TID,
	WORD_LENGTH,
	WORD_CHAIN,
};

static uint64_t word(const struct item *item, unsigned depth)
{
	unsigned outermost;

	switch (depth) {
	case WORD_HEADER:
		return load(item->record);
	case WORD_ID:
		return load(item->record + RECORD_HEADER_SIZE);
	case WORD_TID:
		return load(item->record + item->tid);
	case WORD_LENGTH:
		return item->n_chain;
	default:
		outermost = depth - WORD_CHAIN;
	}
	if (outermost < item->n_chain)
		return load(item->record + item->chain_end - 8 * outermost - 8);
	return load(item->record + item->ip);
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t low = MIN(a, b), high = MAX(a, b);
	uint64_t middle = MIN(high, c);

	return MAX(low, middle);
}

static void swap(struct item *a, struct item *b)
{
	struct item kept = *a;

	*a = *b;
	*b = kept;
}

static int compare_time(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->record, right->record);
}

static int compare_time_backward(const void *a, const void *b)
{
	return compare_time(b, a);
}

/* To and fro: the way from one group's end to the next one's start is short. */
static void sort_group(struct arrange *arrange, struct item *items, size_t n)
{
	qsort(items, n, sizeof(*items),
		arrange->is_backward ? compare_time : compare_time_backward);
	arrange->is_backward = !arrange->is_backward;
}

/*
 * Quicksort for strings (Bentley and Sedgewick, "Fast Algorithms for Sorting
 * and Searching Strings", 1997): splits by one word, and goes on to the next
 * one only among those that are equal.
 */
static void sort(
	struct arrange *arrange, struct item *items, size_t n, unsigned depth)
{
	while (n > GROUP_MAX && depth <= WORD_CHAIN + items->n_chain) {
		uint64_t pivot = median(word(&items[0], depth),
			word(&items[n / 2], depth),
			word(&items[n - 1], depth));
		size_t less = 0, at = 0, more = n;

		while (at < more) {
			uint64_t value = word(&items[at], depth);

			if (value < pivot)
				swap(&items[at++], &items[less++]);
			else if (value > pivot)
				swap(&items[at], &items[--more]);
			else
				at++;
		}
		sort(arrange, items, less, depth);
		sort(arrange, items + more, n - more, depth);
		items += less;
		n = more - less;
		depth++;
	}
	if (n)
		sort_group(arrange, items, n);
}

/* None if it isn't where it should be. */
static void find_chain(struct item *item, const struct record *record,
	const struct sample_layout *layout)
{
	size_t at = sample_find_chain(layout, record);
	uint64_t n;

	if (!at)
		return;
	n = load(item->record + at);
	if (n > (item->size - at - 8) / 8)
		return;
	item->n_chain = (uint16_t)n;
	item->chain_end = (uint16_t)(at + 8 + 8 * n);
}

static struct item item_of(
	const struct record *record, const struct sample_layout *layout)
{
	struct item item = { .record = record->data, .size = record->size };

	if (layout->ip + 8u <= record->size)
		item.ip = layout->ip;
	if (layout->tid + 8u <= record->size)
		item.tid = layout->tid;
	if (layout->time && layout->time + 8u <= record->size)
		item.time = load(record->data + layout->time);
	find_chain(&item, record, layout);
	return item;
}

static bool find_items(struct arrange *arrange, const uint8_t *raw, size_t size)
{
	struct record record;
	size_t at = 0;

	array_clear(&arrange->items);
	while (record_at(raw + at, size - at, false, &record)) {
		if (record.type != RECORD_SAMPLE || record.size < SIZE_MIN)
			return false;
		*array_push(&arrange->items) = item_of(
			&record, hits_layout(arrange->hits, &record));
		at += record.size;
	}
	return at == size;
}

const uint8_t *arrange_samples(
	struct arrange *arrange, const uint8_t *raw, size_t size)
{
	size_t at = 0;

	if (!find_items(arrange, raw, size))
		return raw;
	sort(arrange, arrange->items.at, arrange->items.n, WORD_HEADER);
	array_each(&arrange->items, item) {
		memcpy(arrange->out + at, item->record, item->size);
		at += item->size;
	}
	return arrange->out;
}
