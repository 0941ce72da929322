/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores data computed from ELF files in a private folder, for later runs. A
 * cache file is named after a build ID and a key, the checksum of the data's
 * source. cache_load() returns exactly the stored bytes or NULL; the caller
 * validates their meaning. Failures are not errors: the caller computes the
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
 * Opens FOLDER and creates it if it is missing. If FOLDER is NULL, it is
 * $XDG_CACHE_HOME/dwell/KIND or ~/.cache/dwell/KIND. Returns NULL if the folder
 * cannot be created, is not private to the effective user (mode 0700), or would
 * be in a folder of another user, as $HOME may be with sudo. Removes files that
 * were not used for a month.
 */
struct cache *cache_open(const char *kind, const char *folder);
/* CACHE may be NULL. */
void cache_close(struct cache *cache);

/*
 * Returns a checksum that does not depend on the process, for keys. FROM is any
 * start value.
 */
uint64_t cache_checksum(uint64_t from, const void *data, size_t size);

/*
 * Returns the stored data, at most MAX bytes, owned by the caller, or NULL if
 * there is none.
 */
void *cache_load(const struct cache *cache, const struct cache_place *place,
	size_t max, size_t *size_ret);
void cache_store(const struct cache *cache, const struct cache_place *place,
	const void *data, size_t size);

#endif
