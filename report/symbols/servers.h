/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files from debuginfod servers, by build ID, into the cache of all programs
 * that ask such servers (~/.cache/debuginfod_client), which also remembers what
 * no server has. Asked only if the user said so. The library, which brings many
 * others along, is loaded when it is first needed. For one thread at a time.
 */
#ifndef DWELL_REPORT_SYMBOLS_SERVERS_H
#define DWELL_REPORT_SYMBOLS_SERVERS_H

#include "common/perf/record.h"

struct servers;

enum servers_kind {
	SERVERS_DEBUG, /* a debug file */
	SERVERS_FILE,  /* the program or library itself */
};

/* URLS as in DEBUGINFOD_URLS; NULL: those are asked. */
struct servers *servers_create(const char *urls);
/* NULL is fine. */
void servers_destroy(struct servers *servers);

/*
 * The path in the cache, the caller's; NULL: no server has it, or none can be
 * asked, which is said once. NAME is what the user is shown meanwhile. A server
 * that doesn't answer in DEBUGINFOD_TIMEOUT seconds (20) is the last that was
 * asked; what one answers with an error of its own will be asked for again.
 */
char *servers_find(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name);
/* Whether all servers said of what was asked for last that they have none. */
bool servers_have_missed(const struct servers *servers);
/* What came to PATH is another file: it is taken out of the cache, and said. */
void servers_refuse(struct servers *servers, const char *path,
	const char *name);

#endif
