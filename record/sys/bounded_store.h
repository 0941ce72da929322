/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store of items by key with a limited size: if it is full, the oldest items
 * are dropped. Allocates memory only in bounded_store_create().
 */
#ifndef DWELL_RECORD_SYS_BOUNDED_STORE_H
#define DWELL_RECORD_SYS_BOUNDED_STORE_H

#include "common/util/base.h"

/* Key of an item; several items can have the same key. */
struct bounded_key {
	uint64_t cookie;
	uint32_t tid;
};

struct bounded_item {
	struct bounded_key key;
	uint32_t size;	     /* bytes */
	uint32_t extra;	     /* a number that the caller defines */
	const uint8_t *data; /* borrowed until the next bounded_store_put() */
};

struct bounded_store;

/*
 * Creates a store for N_ITEMS items, rounded up to a power of two, with N_BYTES
 * bytes of data. DROP, which may be NULL, is called with DATA for each item
 * that is dropped.
 */
struct bounded_store *bounded_store_create(size_t n_items, size_t n_bytes,
	void (*drop)(void *data, const struct bounded_item *item), void *data);
void bounded_store_destroy(struct bounded_store *store);

/*
 * Copies ITEM and its data into STORE. Returns false if the data are larger
 * than the whole store.
 */
bool bounded_store_put(
	struct bounded_store *store, const struct bounded_item *item);
/*
 * Sets RET to the oldest item with KEY. Returns false if there is no such item.
 */
bool bounded_store_find(const struct bounded_store *store,
	const struct bounded_key *key, struct bounded_item *ret);
/*
 * Sets RET to the oldest item with KEY and removes this item. RET->data is
 * valid until the next bounded_store_put(). Returns false if there is no such
 * item.
 */
bool bounded_store_take(struct bounded_store *store,
	const struct bounded_key *key, struct bounded_item *ret);
/* Drops all items, the oldest first. */
void bounded_store_clear(struct bounded_store *store);

#endif
