/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/bounded_store.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"

#define NONE UINT32_MAX

/* Where an item stands; places are used in turns, as a ring. */
struct place {
	struct shelf_item item;
	size_t at;     /* of its bytes */
	uint32_t next; /* the next newer one of its bucket; NONE */
	bool is_taken;
};

struct bucket {
	uint32_t oldest, newest; /* NONE: empty */
};

struct shelf {
	struct place *places;
	struct bucket *buckets; /* as many as places, a power of two */
	uint32_t mask;
	uint64_t first, end; /* count the items that were ever put */
	uint8_t *bytes;
	size_t n_bytes, head; /* the next bytes go there */
	void (*drop)(void *data, const struct shelf_item *item);
	void *data;
};

struct shelf *shelf_create(size_t n_items, size_t n_bytes,
	void (*drop)(void *data, const struct shelf_item *item), void *data)
{
	struct shelf *shelf = xcalloc(1, sizeof(*shelf));
	uint32_t n = 1, i;

	while (n < n_items)
		n *= 2;
	shelf->mask = n - 1;
	shelf->places = xcalloc(n, sizeof(*shelf->places));
	shelf->buckets = xcalloc(n, sizeof(*shelf->buckets));
	for (i = 0; i < n; i++)
		shelf->buckets[i] = (struct bucket){ NONE, NONE };
	shelf->bytes = xmalloc(n_bytes);
	shelf->n_bytes = n_bytes;
	shelf->drop = drop;
	shelf->data = data;
	return shelf;
}

void shelf_destroy(struct shelf *shelf)
{
	if (!shelf)
		return;
	free(shelf->places);
	free(shelf->buckets);
	free(shelf->bytes);
	free(shelf);
}

static struct bucket *bucket_of(
	const struct shelf *shelf, const struct shelf_key *key)
{
	uint64_t hash = hash_words(key->cookie, key->tid);

	return &shelf->buckets[(uint32_t)hash & shelf->mask];
}

static bool is_key(const struct place *place, const struct shelf_key *key)
{
	return place->item.key.cookie == key->cookie &&
		place->item.key.tid == key->tid;
}

/* The oldest place with KEY, and the one before it in its bucket. */
static uint32_t search(const struct shelf *shelf, const struct bucket *bucket,
	const struct shelf_key *key, uint32_t *before)
{
	uint32_t at = bucket->oldest;

	*before = NONE;
	while (at != NONE && !is_key(&shelf->places[at], key)) {
		*before = at;
		at = shelf->places[at].next;
	}
	return at;
}

static void unlink_place(struct shelf *shelf, struct bucket *bucket,
	uint32_t at, uint32_t before)
{
	uint32_t next = shelf->places[at].next;

	if (before == NONE)
		bucket->oldest = next;
	else
		shelf->places[before].next = next;
	if (bucket->newest == at)
		bucket->newest = before;
	shelf->places[at].is_taken = true;
}

/* The oldest item of all is the oldest of its bucket, too. */
static void drop_oldest(struct shelf *shelf)
{
	uint32_t at = (uint32_t)shelf->first & shelf->mask;
	struct place *place = &shelf->places[at];

	shelf->first++;
	if (place->is_taken)
		return;
	unlink_place(shelf, bucket_of(shelf, &place->item.key), at, NONE);
	if (shelf->drop)
		shelf->drop(shelf->data, &place->item);
}

static struct place *oldest(const struct shelf *shelf)
{
	return &shelf->places[(uint32_t)shelf->first & shelf->mask];
}

/* Bytes for SIZE in one piece; what stands there falls out. */
static void make_room(struct shelf *shelf, size_t size)
{
	if (shelf->n_bytes - shelf->head < size) {
		while (shelf->first < shelf->end &&
			oldest(shelf)->at >= shelf->head)
			drop_oldest(shelf);
		shelf->head = 0;
	}
	while (shelf->first < shelf->end && oldest(shelf)->at >= shelf->head &&
		oldest(shelf)->at < shelf->head + size)
		drop_oldest(shelf);
	if (shelf->end - shelf->first > shelf->mask)
		drop_oldest(shelf);
}

bool shelf_put(struct shelf *shelf, const struct shelf_item *item)
{
	uint32_t at = (uint32_t)shelf->end & shelf->mask;
	struct place *place = &shelf->places[at];
	struct bucket *bucket = bucket_of(shelf, &item->key);

	if (item->size > shelf->n_bytes)
		return false;
	make_room(shelf, item->size);
	*place = (struct place){ *item, shelf->head, NONE, false };
	place->item.data =
		memcpy(shelf->bytes + shelf->head, item->data, item->size);
	if (bucket->oldest == NONE)
		bucket->oldest = at;
	else
		shelf->places[bucket->newest].next = at;
	bucket->newest = at;
	shelf->head += item->size;
	shelf->end++;
	return true;
}

bool shelf_find(const struct shelf *shelf, const struct shelf_key *key,
	struct shelf_item *ret)
{
	uint32_t before;
	uint32_t at = search(shelf, bucket_of(shelf, key), key, &before);

	if (at == NONE)
		return false;
	*ret = shelf->places[at].item;
	return true;
}

bool shelf_take(struct shelf *shelf, const struct shelf_key *key,
	struct shelf_item *ret)
{
	struct bucket *bucket = bucket_of(shelf, key);
	uint32_t before;
	uint32_t at = search(shelf, bucket, key, &before);

	if (at == NONE)
		return false;
	unlink_place(shelf, bucket, at, before);
	*ret = shelf->places[at].item;
	return true;
}

void shelf_clear(struct shelf *shelf)
{
	while (shelf->first < shelf->end)
		drop_oldest(shelf);
}
