/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded store of things that are looked for by a key: what was put first
 * falls out first when the room is used up. All memory is taken once; nothing
 * is allocated afterwards.
 */
#ifndef DWELL_RECORD_SYS_BOUNDED_STORE_H
#define DWELL_RECORD_SYS_BOUNDED_STORE_H

#include "common/util/base.h"

/* Both together are unique. */
struct shelf_key {
	uint64_t cookie;
	uint32_t tid;
};

struct shelf_item {
	struct shelf_key key;
	uint32_t size;	     /* bytes */
	uint32_t extra;	     /* the owner's own */
	const uint8_t *data; /* borrowed until the next shelf_put() */
};

struct shelf;

/* DROP is told of each item that falls out; may be NULL. */
struct shelf *shelf_create(size_t n_items, size_t n_bytes,
	void (*drop)(void *data, const struct shelf_item *item), void *data);
void shelf_destroy(struct shelf *shelf);

/* Copies ITEM's data. False if it is larger than the whole shelf. */
bool shelf_put(struct shelf *shelf, const struct shelf_item *item);
/* The oldest item of KEY; false: there is none. */
bool shelf_find(const struct shelf *shelf, const struct shelf_key *key,
	struct shelf_item *ret);
/* The same, and takes it out; its data stays until the next shelf_put(). */
bool shelf_take(struct shelf *shelf, const struct shelf_key *key,
	struct shelf_item *ret);
/* Lets everything fall out, the oldest first. */
void shelf_clear(struct shelf *shelf);

#endif
