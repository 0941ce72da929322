/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that name folders, files and servers to search for the files of
 * DSOs.
 */
#ifndef DWELL_REPORT_UTIL_SEARCH_PATHS_H
#define DWELL_REPORT_UTIL_SEARCH_PATHS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "report/util/filter.h"

/*
 * The replacements of --source-path OLD=NEW: folders of source files that debug
 * information names, and where these files are on this machine. Opens no file.
 */

/* A zero-initialized struct is empty. */
struct search_sources {
	ARRAY(struct search_source {
		char *recorded; /* owned; without "/" at the end and "./" at the
				   start; "." matches all relative paths */
		char *local;	/* owned; exists on this machine */
	})
	at;
};

/*
 * Appends TEXT, "OLD=NEW". OLD is a folder or file in debug information, NEW an
 * existing folder or file. Returns an error that begins with WHAT for other
 * text.
 */
struct error *search_sources_add(struct search_sources *paths, const char *what,
	const char *text) _must_check_;
void search_sources_deinit(struct search_sources *paths);

/*
 * Returns PATH, from debug information, with the first OLD that is PATH or a
 * folder of PATH replaced. The caller frees the result. Returns NULL if no OLD
 * matches.
 */
char *search_sources_map(const struct search_sources *paths, const char *path);

/*
 * Returns the OLD that would match the folder of PATH; "." if PATH is relative.
 * The caller frees the result.
 */
char *search_sources_folder(const char *path);

struct search_paths {
	const char *symfs; /* folder of --symfs, which replaces /; NULL: / */
	struct filter_names debug_dirs;
	struct search_sources source_paths; /* --source-path */
	struct filter_numbers
		open_files;		/* descriptors of mapped files that the
	                                 * recorder kept open (--held) */
	const char *vmlinux, *kallsyms; /* files of --vmlinux and --kallsyms; or
	                                 * NULL */
	bool uses_servers;		/* request files that are found nowhere
	                                 * else from servers */
	const char *server_urls;	/* URLs of debuginfod servers; NULL:
	                                 * those in DEBUGINFOD_URLS */
};

#endif
