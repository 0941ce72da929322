/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell pack --source` writes: the lines that functions which were hit
 * span in files of source code, with what was inlined there (packed_source.h). A
 * file that was changed after the function's program was built is another text,
 * and left out.
 */
#ifndef DWELL_REPORT_PACK_PACK_SOURCE_H
#define DWELL_REPORT_PACK_PACK_SOURCE_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Of all lines together; what is beyond that is left out, which is said. */
#define PACK_SOURCE_MAX MIB(64)
/* That one function may span in one file, */
#define PACK_SOURCE_SPAN_MAX 20000u
/* and bytes of a line, which is cut then. */
#define PACK_SOURCE_LINE_MAX KIB(4)

/* Appends the section; nothing if there are no lines. */
void pack_source_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
