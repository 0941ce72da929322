/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests files from debuginfod servers, by build ID, into the cache of
 * libdebuginfod (~/.cache/debuginfod_client), which also remembers files that
 * no server has. Used only with --debuginfod. libdebuginfod, which depends on
 * many other libraries, is loaded at run time. Not thread-safe.
 */
#ifndef DWELL_REPORT_SYMBOLS_SERVERS_H
#define DWELL_REPORT_SYMBOLS_SERVERS_H

#include "common/perf/record.h"

struct servers;

enum servers_kind {
	SERVERS_DEBUG, /* a debug file */
	SERVERS_FILE,  /* the program or library itself */
};

/*
 * Loads libdebuginfod. URLS has the format of the environment variable
 * DEBUGINFOD_URLS, and replaces the variable unless URLS is NULL. Returns NULL,
 * after a message, if libdebuginfod cannot be loaded.
 */
struct servers *servers_create(const char *urls);
/* SERVERS may be NULL. */
void servers_destroy(struct servers *servers);

/*
 * Requests the file of KIND with build ID ID. Returns the path of the file in
 * libdebuginfod's cache, owned by the caller, or NULL. NAME is shown to the
 * user during the transfer. Failures of servers are reported. After a server
 * did not answer in DEBUGINFOD_TIMEOUT seconds (default: 20), or after three
 * failures, no more requests are sent. The next run of dwell requests a file
 * again if its request failed.
 */
char *servers_find(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name);
/* Returns whether all servers lack the file of the last servers_find() call. */
bool servers_have_missed(const struct servers *servers);
/*
 * Removes the file at PATH, whose build ID is not the requested one, from
 * libdebuginfod's cache, and prints a message about NAME.
 */
void servers_refuse(
	struct servers *servers, const char *path, const char *name);

#endif
