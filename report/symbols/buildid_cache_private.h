/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the store share. */
#ifndef DWELL_REPORT_SYMBOLS_BUILDID_CACHE_PRIVATE_H
#define DWELL_REPORT_SYMBOLS_BUILDID_CACHE_PRIVATE_H

#include "common/perf/record.h"
#include "report/symbols/servers.h"
#include "report/util/search_paths.h"

#define DEBUG_ROOT "/usr/lib/debug"

struct store {
	const struct places *places; /* borrowed */
	/* Folders that have .build-id in them, in the order of the search. */
	struct name_list roots;
	struct servers *servers; /* owned; NULL: nobody is asked */
	/* Open already. */
	ARRAY(struct held_file {
		char path[32];
		struct build_id id; /* size 0: it has none */
		uint64_t inode;
	}) held;
};

struct store_file;

/* One search: who looks for what, and where it puts it. */
struct search {
	struct store *store;
	struct build_id id; /* of what is looked for; size 0: not known */
	uint64_t end;       /* it has code up to here; 0: it needn't have any */
	uint32_t crc;       /* of a debug file whose build ID isn't known */
	struct store_file *ret;
};

/* PATH below --symfs; the caller's. */
char *store_rooted(const struct store *store, const char *path);
/*
 * Takes the file at PATH, which is freed, if it has the build ID, or else the
 * checksum; true if one is found, now or before.
 */
bool store_try(struct search *search, char *path);
/* In each root: .build-id/xx/rest followed by each of SUFFIXES (NULL ends them). */
bool store_try_id(struct search *search, const char *const *suffixes);
/* What servers have of that KIND; NAME is for the user. */
bool store_try_servers(struct search *search, enum servers_kind kind,
	const char *name);
/* PATH, and its last part, in each --debug-dir. */
bool store_try_folders(struct search *search, const char *path);

#endif
