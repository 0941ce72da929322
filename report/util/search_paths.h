/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where files are looked for, as the user says. */
#ifndef DWELL_REPORT_UTIL_SEARCH_PATHS_H
#define DWELL_REPORT_UTIL_SEARCH_PATHS_H

#include "report/util/filter.h"

struct places {
	const char *symfs; /* a folder in place of /; NULL: / */
	struct name_list debug_dirs;
	struct number_list held; /* descriptors of mapped files */
	const char *vmlinux, *kallsyms; /* files; or NULL */
	bool asks_servers;       /* for what is nowhere else */
	const char *server_urls; /* NULL: those of DEBUGINFOD_URLS */
};

#endif
