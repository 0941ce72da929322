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
	struct servers *servers; /* owned; NULL: no requests are sent */
	/* Files that the recorder kept open. */
	ARRAY(struct open_file {
		char path[32];
		struct build_id id; /* size 0: the file has no build ID */
		uint64_t inode;
	})
	open_files;
};

struct found_file;

struct file_search {
	struct buildid_cache *cache;
	struct build_id id; /* build ID of the searched file; size 0: not
	                     * known */
	uint64_t end;	    /* the searched file has code at this file offset;
	                     * 0: not checked */
	uint32_t crc;	    /* checksum of a debug file whose build ID is not
	                     * known */
	struct found_file *ret;
};

/* Returns PATH below the folder of --symfs. The caller frees the result. */
char *buildid_cache_rooted(const struct buildid_cache *cache, const char *path);
/*
 * Opens PATH, and stores the file in SEARCH->ret if it has the build ID
 * SEARCH->id or, if SEARCH->id is empty, the checksum SEARCH->crc. Frees PATH.
 * Returns whether this or an earlier call found the file.
 */
bool file_search_try(struct file_search *search, char *path);
/*
 * Tries .build-id/xx/rest, the path of build ID SEARCH->id, below each of the
 * cache's .roots, followed by each of SUFFIXES, whose last element is NULL.
 * Returns whether the file was found.
 */
bool file_search_try_id(
	struct file_search *search, const char *const *suffixes);
/*
 * Requests the file of KIND with build ID SEARCH->id from debuginfod servers;
 * NAME is shown to the user. Returns whether the file was found.
 */
bool file_search_try_servers(
	struct file_search *search, enum servers_kind kind, const char *name);
/*
 * Tries PATH, and its file name without folders, below each --debug-dir.
 * Returns whether the file was found.
 */
bool file_search_try_folders(struct file_search *search, const char *path);

#endif
