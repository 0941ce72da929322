/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/sample_order.h"

#include "common/file/block.h"
#include "common/util/alloc.h"
#include "common/util/array.h"

#define SIZE_MIN (RECORD_HEADER_SIZE + 8) /* a sample with only its ID */

/*
 * Groups of this number of samples or fewer stay in the order of time. perf
 * inserts each sample into its list by walking from the preceding sample:
 * larger groups compress worse, and smaller groups make perf walk more often
 * from one end of a block to the other.
 */
#define ITEM_GROUP_MAX 16u

/* A sample as a string of 64-bit words for sorting. */
struct order_item {
	const uint8_t *record;
	uint64_t time;
	uint16_t size;
	uint16_t ip, tid;   /* offsets; 0: the field is missing */
	uint16_t chain_end; /* offset behind the outermost caller */
	uint16_t n_chain;
};

struct sample_order {
	const struct sampled_code *sampled;
	ARRAY(struct order_item) items;
	bool is_backward; /* the last group was sorted backward */
	uint8_t out[BLOCK_RAW_MAX];
};

struct sample_order *sample_order_create(const struct sampled_code *sampled)
{
	struct sample_order *order = xmalloc(sizeof(*order));

	order->sampled = sampled;
	order->items = (typeof(order->items)){ 0 };
	order->is_backward = false;
	return order;
}

void sample_order_destroy(struct sample_order *order)
{
	if (!order)
		return;
	array_free(&order->items);
	free(order);
}

static uint64_t load_word(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

enum {
	WORD_HEADER, /* type and size of the record: equal sizes repeat at equal
			distances */
	WORD_ID,
	WORD_TID,
	WORD_LENGTH,
	WORD_CHAIN,
};

static uint64_t item_word(const struct order_item *item, unsigned depth)
{
	unsigned outermost;

	switch (depth) {
	case WORD_HEADER: return load_word(item->record);
	case WORD_ID: return load_word(item->record + RECORD_HEADER_SIZE);
	case WORD_TID: return load_word(item->record + item->tid);
	case WORD_LENGTH: return item->n_chain;
	default: outermost = depth - WORD_CHAIN;
	}
	if (outermost < item->n_chain)
		return load_word(
			item->record + item->chain_end - 8 * outermost - 8);
	return load_word(item->record + item->ip);
}

static void swap_order_items(struct order_item *a, struct order_item *b)
{
	struct order_item kept = *a;

	*a = *b;
	*b = kept;
}

static int compare_item_time(const void *a, const void *b)
{
	const struct order_item *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->record, right->record);
}

static int compare_item_time_backward(const void *a, const void *b)
{
	return compare_item_time(b, a);
}

/*
 * Quicksort for strings (Bentley and Sedgewick, "Fast Algorithms for Sorting
 * and Searching Strings", 1997): partitions by one word, and compares the next
 * word only within the partition of equal words.
 */
static void sort_items(struct sample_order *order, struct order_item *items,
	size_t n, unsigned depth)
{
	while (n > ITEM_GROUP_MAX && depth <= WORD_CHAIN + items->n_chain) {
		uint64_t a = item_word(&items[0], depth);
		uint64_t b = item_word(&items[n / 2], depth);
		uint64_t low = MIN(a, b), high = MAX(a, b);
		uint64_t middle = MIN(high, item_word(&items[n - 1], depth));
		uint64_t pivot = MAX(low, middle);
		size_t less = 0, at = 0, more = n;

		while (at < more) {
			uint64_t value = item_word(&items[at], depth);

			if (value < pivot)
				swap_order_items(&items[at++], &items[less++]);
			else if (value > pivot)
				swap_order_items(&items[at], &items[--more]);
			else
				at++;
		}
		sort_items(order, items, less, depth);
		sort_items(order, items + more, n - more, depth);
		items += less;
		n = more - less;
		depth++;
	}
	if (n) {
		/*
		 * Sort a group by time, alternately forward and backward, so
		 * that the last sample of a group is close in time to the first
		 * sample of the next group.
		 */
		qsort(items, n, sizeof(*items),
			order->is_backward ? compare_item_time
					   : compare_item_time_backward);
		order->is_backward = !order->is_backward;
	}
}

static struct order_item make_item(
	const struct record *record, const struct sample_layout *layout)
{
	struct order_item item = { .record = record->data,
		.size = record->size };

	if (layout->ip + 8u <= record->size)
		item.ip = layout->ip;
	if (layout->tid + 8u <= record->size)
		item.tid = layout->tid;
	if (layout->time && layout->time + 8u <= record->size)
		item.time = load_word(record->data + layout->time);
	/* Set the call chain, or no call chain if the record is too short. */
	size_t at = sample_find_chain(layout, record);
	uint64_t n;

	if (at) {
		n = load_word(item.record + at);
		if (n <= (item.size - at - 8) / 8) {
			item.n_chain = (uint16_t)n;
			item.chain_end = (uint16_t)(at + 8 + 8 * n);
		}
	}
	return item;
}

const uint8_t *sample_order_sort(
	struct sample_order *order, const uint8_t *raw, size_t size)
{
	struct record record;
	size_t at = 0;

	array_clear(&order->items);
	while (record_at(raw + at, size - at, false, &record)) {
		if (record.type != RECORD_SAMPLE || record.size < SIZE_MIN)
			return raw;
		*array_push(&order->items) = make_item(
			&record, sampled_code_layout(order->sampled, &record));
		at += record.size;
	}
	if (at != size)
		return raw;
	sort_items(order, order->items.at, order->items.n, WORD_HEADER);
	at = 0;
	array_each(&order->items, item) {
		memcpy(order->out + at, item->record, item->size);
		at += item->size;
	}
	return order->out;
}
