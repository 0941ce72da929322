/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was worked out from ELF files, kept in a folder of the user's own for the
 * next run. A file there is named after a build ID and a key, the checksum of
 * what it was made from. Its bytes are those that were stored, or it isn't
 * there; what they mean is for the caller to check. Nothing that goes wrong here
 * is an error: then all is made anew. Any thread may use one.
 */
#ifndef DWELL_COMMON_ELF_CACHE_H
#define DWELL_COMMON_ELF_CACHE_H

#include "common/perf/record.h"

struct cache;

/* Where: by what the bytes are, of which file and made from what. */
struct cache_place {
	uint64_t magic; /* changes with their layout */
	struct build_id id;
	uint64_t key;
};

/*
 * FOLDER is made if need be; NULL: $XDG_CACHE_HOME/dwell/KIND, or that of
 * ~/.cache. NULL if it isn't there, or isn't this user's alone (0700), or would
 * be in what belongs to another user, as HOME may with sudo. What
 * nobody asked for in a month is removed from it.
 */
struct cache *cache_open(const char *kind, const char *folder);
/* NULL is fine. */
void cache_close(struct cache *cache);

/* The same in every process, for keys; begins with any number. */
uint64_t cache_checksum(uint64_t from, const void *data, size_t size);

/* At most MAX bytes, owned by the caller; NULL: there are none. */
void *cache_load(const struct cache *cache, const struct cache_place *place,
	size_t max, size_t *size_ret);
void cache_store(const struct cache *cache, const struct cache_place *place,
	const void *data, size_t size);

#endif
