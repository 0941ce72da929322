/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that name folders, files and servers to search for the files of
 * DSOs.
 */
#ifndef DWELL_REPORT_UTIL_SEARCH_PATHS_H
#define DWELL_REPORT_UTIL_SEARCH_PATHS_H

#include "report/util/filter.h"
#include "report/util/source_paths.h"

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
