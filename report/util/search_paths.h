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
struct source_paths {
	ARRAY(struct source_path {
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
struct error *source_paths_add(struct source_paths *paths, const char *what,
	const char *text) _must_check_;
void source_paths_deinit(struct source_paths *paths);

/*
 * Returns PATH, from debug information, with the first OLD that is PATH or a
 * folder of PATH replaced. The caller frees the result. Returns NULL if no OLD
 * matches.
 */
char *source_paths_map(const struct source_paths *paths, const char *path);

/*
 * Returns the OLD that would match the folder of PATH; "." if PATH is relative.
 * The caller frees the result.
 */
char *source_paths_folder(const char *path);

struct search_paths {
	const char *symfs; /* folder of --symfs, which replaces /; NULL: / */
	struct name_list debug_dirs;
	struct source_paths source_paths; /* --source-path */
	struct number_list open_files;	/* descriptors of mapped files that the
	                                 * recorder kept open (--held) */
	const char *vmlinux, *kallsyms; /* files of --vmlinux and --kallsyms; or
	                                 * NULL */
	bool uses_servers;		/* request files that are found nowhere
	                                 * else from servers */
	const char *server_urls;	/* URLs of debuginfod servers; NULL:
	                                 * those in DEBUGINFOD_URLS */
};

#endif
