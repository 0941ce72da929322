/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "source" section of `dwell pack --source`: the source lines of
 * sampled functions and of the functions inlined into them (packed_source.h). A
 * source file that was changed after the program was built is left out.
 */
#ifndef DWELL_REPORT_PACK_PACK_SOURCE_H
#define DWELL_REPORT_PACK_PACK_SOURCE_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Limit of all source lines, in bytes; further lines are left out, which is
 * reported.
 */
#define PACK_SOURCE_MAX MIB(64)
/* Limit of the source lines of one function in one file. */
#define PACK_SOURCE_SPAN_MAX 20000u
/* Limit of the bytes of one source line; further bytes are left out. */
#define PACK_SOURCE_LINE_MAX KIB(4)

/*
 * Appends the section "source" for the functions at HITS to OUT; nothing if no
 * source lines are available.
 */
void pack_source_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
