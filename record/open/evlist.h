/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of a recording as text, in perf's words. */
#ifndef DWELL_RECORD_OPEN_EVLIST_H
#define DWELL_RECORD_OPEN_EVLIST_H

#include "common/util/strbuf.h"
#include "record/open/open.h"

/*
 * Appends a line per event, the sideband's last. FLAGS as perf's evlist has
 * them: -F how often each is sampled, -v every field of its attr; -g shows
 * groups, of which there are none.
 */
void evlist_print(
	const struct opened *opened, const char *flags, struct strbuf *out);

#endif
