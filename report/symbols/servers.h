/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests files from debuginfod servers, by build ID, into the cache of
 * libdebuginfod (~/.cache/debuginfod_client), which also remembers files that
 * no server has. Used only with --debuginfod. The library, which depends on
 * many others, is loaded when first needed. Not thread-safe.
 */
#ifndef DWELL_REPORT_SYMBOLS_SERVERS_H
#define DWELL_REPORT_SYMBOLS_SERVERS_H

#include "common/perf/record.h"

struct servers;

enum servers_kind {
	SERVERS_DEBUG, /* a debug file */
	SERVERS_FILE,  /* the program or library itself */
};

/* URLS have the format of DEBUGINFOD_URLS; NULL: use that variable. */
struct servers *servers_create(const char *urls);
/* SERVERS may be NULL. */
void servers_destroy(struct servers *servers);

/*
 * Returns the path of the file in the cache, which the caller frees, or NULL.
 * If no server can be used, a message reports this once. NAME is shown to the
 * user during the transfer. After a server did not answer in DEBUGINFOD_TIMEOUT
 * seconds (default: 20), no more requests are sent. A file whose request ended
 * with a server error will be requested again.
 */
char *servers_find(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name);
/* Whether all servers lack the file that was requested last. */
bool servers_have_missed(const struct servers *servers);
/*
 * Removes the file at PATH, which is not the requested one, from the cache, and
 * reports this.
 */
void servers_refuse(
	struct servers *servers, const char *path, const char *name);

#endif
