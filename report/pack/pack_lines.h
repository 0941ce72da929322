/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell pack` writes of lines: of the code that was hit, and of no other
 * (packed_lines.h).
 */
#ifndef DWELL_REPORT_PACK_PACK_LINES_H
#define DWELL_REPORT_PACK_PACK_LINES_H

#include "report/lines/lines.h"
#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Whether lines of the DSO of HIT are looked for, its last one. */
bool pack_lines_are_wanted(
	struct symbols *symbols, const struct pack_hit *hit);

/*
 * Appends the section; nothing if nobody knows a line. Of files that may have
 * changed nothing is taken.
 */
void pack_lines_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
