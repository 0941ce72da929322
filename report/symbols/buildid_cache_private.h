/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search steps that the files buildid_cache*.c share. */
#ifndef DWELL_REPORT_SYMBOLS_BUILDID_CACHE_PRIVATE_H
#define DWELL_REPORT_SYMBOLS_BUILDID_CACHE_PRIVATE_H

#include "common/perf/record.h"
#include "report/symbols/servers.h"
#include "report/util/search_paths.h"

#define DEBUG_ROOT "/usr/lib/debug"

struct buildid_cache {
	const struct search_paths *paths; /* borrowed */
	/* Folders that contain .build-id, in the order of the search. */
	struct name_list roots;
	struct servers *servers; /* owned; NULL: no requests */
	/* Files that the recorder kept open. */
	ARRAY(struct open_file {
		char path[32];
		struct build_id id; /* size 0: it has none */
		uint64_t inode;
	})
	open_files;
};

struct found_file;

struct file_search {
	struct buildid_cache *cache;
	struct build_id id; /* of the file; size 0: not known */
	uint64_t end;       /* the file has code at this offset; 0: any file */
	uint32_t crc;       /* of a debug file whose build ID is not known */
	struct found_file *ret;
};

/* Returns PATH below --symfs. The caller frees it. */
char *buildid_cache_rooted(const struct buildid_cache *cache, const char *path);
/*
 * Opens PATH, which is freed, and keeps the file if it has the build ID or,
 * without one, the checksum. Returns whether this or an earlier call found one.
 */
bool file_search_try(struct file_search *search, char *path);
/* Tries .build-id/xx/rest in each root, followed by each of SUFFIXES, whose
 * last element is NULL. */
bool file_search_try_id(
	struct file_search *search, const char *const *suffixes);
/* Requests a file of KIND from the servers; NAME is shown to the user. */
bool file_search_try_servers(
	struct file_search *search, enum servers_kind kind, const char *name);
/* Tries PATH, and its last part, in each --debug-dir. */
bool file_search_try_folders(struct file_search *search, const char *path);

#endif
