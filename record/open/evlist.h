/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the events of a recording as perf evlist does. */
#ifndef DWELL_RECORD_OPEN_EVLIST_H
#define DWELL_RECORD_OPEN_EVLIST_H

#include "common/util/strbuf.h"
#include "record/open/open.h"

/*
 * Appends one line per event to OUT, sideband last. FLAGS are those of perf
 * evlist: -F prints the frequency, -v all fields of the attribute, -g the
 * groups, of which there are none.
 */
void evlist_print(
	const struct event_fds *opened, const char *flags, struct strbuf *out);

#endif
