/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the user that name places to search for files. */
#ifndef DWELL_REPORT_UTIL_SEARCH_PATHS_H
#define DWELL_REPORT_UTIL_SEARCH_PATHS_H

#include "report/util/filter.h"

struct search_paths {
	const char *symfs; /* a folder that replaces /; NULL: / */
	struct name_list debug_dirs;
	struct number_list open_files;  /* descriptors of mapped
	                                 * files (--held) */
	const char *vmlinux, *kallsyms; /* files; or NULL */
	bool uses_servers;		/* for files found nowhere else */
	const char *server_urls;	/* NULL: DEBUGINFOD_URLS */
};

#endif
