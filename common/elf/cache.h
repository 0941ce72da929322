/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores data computed from ELF files in a private folder, for later runs. A
 * cache file is named after a build ID and a key, the checksum of the data's
 * source. cache_load() returns exactly the stored bytes or NULL; the caller
 * validates the data. Failures are not errors: the caller computes the
 * data again. Thread-safe.
 */
#ifndef DWELL_COMMON_ELF_CACHE_H
#define DWELL_COMMON_ELF_CACHE_H

#include "common/perf/record.h"

struct cache;

/* The identity of a cache file: data format, ELF file and source. */
struct cache_place {
	uint64_t magic; /* identifies the format and its version */
	struct build_id id;
	uint64_t key;
};

/*
 * Opens FOLDER and creates it if it is missing. If FOLDER is NULL, the folder
 * is $XDG_CACHE_HOME/dwell/KIND or ~/.cache/dwell/KIND. Returns NULL if the
 * folder cannot be created, is not private to the effective user (mode 0700),
 * or would be in a folder of another user, as $HOME may be with sudo. Removes
 * files that were not used for a month.
 */
struct cache *cache_open(const char *kind, const char *folder);
/* CACHE may be NULL. */
void cache_close(struct cache *cache);

/*
 * Returns a checksum of DATA for cache keys. The checksum is the same in all
 * processes. FROM is any start value.
 */
uint64_t cache_checksum(uint64_t from, const void *data, size_t size);

/*
 * Returns the data stored for PLACE, owned by the caller. Returns NULL if there
 * is no valid cache file or the data exceed MAX bytes.
 */
void *cache_load(const struct cache *cache, const struct cache_place *place,
	size_t max, size_t *size_ret);
void cache_store(const struct cache *cache, const struct cache_place *place,
	const void *data, size_t size);

#endif
