/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/bounded_store.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"

#define NONE UINT32_MAX

/* A slot for one item. Slots are used in turn, as in a ring buffer. */
struct bounded_slot {
	struct bounded_item item;
	size_t at;     /* offset of the item's data in .bytes */
	uint32_t next; /* slot of the next newer item in the hash bucket, or
			  NONE */
	bool is_taken;
};

struct store_bucket {
	uint32_t oldest, newest; /* slots of items; NONE: empty bucket */
};

struct bounded_store {
	struct bounded_slot *places;
	struct store_bucket
		*buckets; /* hash table with as many buckets as .places, a
				   power of two */
	uint32_t mask;
	uint64_t first, end; /* number of items removed, and put, in total */
	uint8_t *bytes;
	size_t n_bytes, head; /* offset in .bytes of the next data */
	void (*drop)(void *data, const struct bounded_item *item);
	void *data;
};

struct bounded_store *bounded_store_create(size_t n_items, size_t n_bytes,
	void (*drop)(void *data, const struct bounded_item *item), void *data)
{
	struct bounded_store *store = xcalloc(1, sizeof(*store));
	uint32_t n = 1, i;

	while (n < n_items)
		n *= 2;
	store->mask = n - 1;
	store->places = xcalloc(n, sizeof(*store->places));
	store->buckets = xcalloc(n, sizeof(*store->buckets));
	for (i = 0; i < n; i++)
		store->buckets[i] = (struct store_bucket){ NONE, NONE };
	store->bytes = xmalloc(n_bytes);
	store->n_bytes = n_bytes;
	store->drop = drop;
	store->data = data;
	return store;
}

void bounded_store_destroy(struct bounded_store *store)
{
	if (!store)
		return;
	free(store->places);
	free(store->buckets);
	free(store->bytes);
	free(store);
}

static struct store_bucket *bucket_of(
	const struct bounded_store *store, const struct bounded_key *key)
{
	uint64_t hash = hash_words(key->cookie, key->tid);

	return &store->buckets[(uint32_t)hash & store->mask];
}

/*
 * Returns the slot of the oldest item with KEY, or NONE, and sets BEFORE to the
 * preceding slot of BUCKET, or NONE.
 */
static uint32_t search_bucket(const struct bounded_store *store,
	const struct store_bucket *bucket, const struct bounded_key *key,
	uint32_t *before)
{
	uint32_t at = bucket->oldest;

	*before = NONE;
	while (at != NONE &&
		(store->places[at].item.key.cookie != key->cookie ||
			store->places[at].item.key.tid != key->tid)) {
		*before = at;
		at = store->places[at].next;
	}
	return at;
}

static void unlink_place(struct bounded_store *store,
	struct store_bucket *bucket, uint32_t at, uint32_t before)
{
	uint32_t next = store->places[at].next;

	if (before == NONE)
		bucket->oldest = next;
	else
		store->places[before].next = next;
	if (bucket->newest == at)
		bucket->newest = before;
	store->places[at].is_taken = true;
}

/* Drops the oldest item, which is also the oldest item of its hash bucket. */
static void drop_oldest(struct bounded_store *store)
{
	uint32_t at = (uint32_t)store->first & store->mask;
	struct bounded_slot *place = &store->places[at];

	store->first++;
	if (place->is_taken)
		return;
	unlink_place(store, bucket_of(store, &place->item.key), at, NONE);
	if (store->drop)
		store->drop(store->data, &place->item);
}

static struct bounded_slot *oldest_item(const struct bounded_store *store)
{
	return &store->places[(uint32_t)store->first & store->mask];
}

bool bounded_store_put(
	struct bounded_store *store, const struct bounded_item *item)
{
	uint32_t at = (uint32_t)store->end & store->mask;
	struct bounded_slot *place = &store->places[at];
	struct store_bucket *bucket = bucket_of(store, &item->key);

	if (item->size > store->n_bytes)
		return false;
	/*
	 * Free one slot, and contiguous bytes for the item at .head, by
	 * dropping the items that use the slot or these bytes.
	 */
	if (store->n_bytes - store->head < item->size) {
		while (store->first < store->end &&
			oldest_item(store)->at >= store->head)
			drop_oldest(store);
		store->head = 0;
	}
	while (store->first < store->end &&
		oldest_item(store)->at >= store->head &&
		oldest_item(store)->at < store->head + item->size)
		drop_oldest(store);
	if (store->end - store->first > store->mask)
		drop_oldest(store);
	*place = (struct bounded_slot){ *item, store->head, NONE, false };
	place->item.data =
		memcpy(store->bytes + store->head, item->data, item->size);
	if (bucket->oldest == NONE)
		bucket->oldest = at;
	else
		store->places[bucket->newest].next = at;
	bucket->newest = at;
	store->head += item->size;
	store->end++;
	return true;
}

bool bounded_store_find(const struct bounded_store *store,
	const struct bounded_key *key, struct bounded_item *ret)
{
	uint32_t before;
	uint32_t at = search_bucket(store, bucket_of(store, key), key, &before);

	if (at == NONE)
		return false;
	*ret = store->places[at].item;
	return true;
}

bool bounded_store_take(struct bounded_store *store,
	const struct bounded_key *key, struct bounded_item *ret)
{
	struct store_bucket *bucket = bucket_of(store, key);
	uint32_t before;
	uint32_t at = search_bucket(store, bucket, key, &before);

	if (at == NONE)
		return false;
	unlink_place(store, bucket, at, before);
	*ret = store->places[at].item;
	return true;
}

void bounded_store_clear(struct bounded_store *store)
{
	while (store->first < store->end)
		drop_oldest(store);
}
