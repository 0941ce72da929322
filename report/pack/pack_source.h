/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "source" section of `dwell pack --source`: the source lines of
 * functions that samples hit, with functions inlined there (packed_source.h).
 * Files that were changed after their program was built are left out.
 */
#ifndef DWELL_REPORT_PACK_PACK_SOURCE_H
#define DWELL_REPORT_PACK_PACK_SOURCE_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Limit of all lines together; further lines are left out with a message. */
#define PACK_SOURCE_MAX MIB(64)
/* Limit of lines of one function in one file, */
#define PACK_SOURCE_SPAN_MAX 20000u
/* and of bytes in a line; the rest is cut off. */
#define PACK_SOURCE_LINE_MAX KIB(4)

/* Appends the section to OUT, or nothing if there are no lines. */
void pack_source_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
