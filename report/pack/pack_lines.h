/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "lines" section of `dwell pack`: source lines of the code that
 * samples hit (lines.h).
 */
#ifndef DWELL_REPORT_PACK_PACK_LINES_H
#define DWELL_REPORT_PACK_PACK_LINES_H

#include "report/lines/lines.h"
#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Returns whether source lines are packed for the DSO of HIT. HIT has the
 * highest file offset of all hits in the DSO.
 */
bool pack_lines_include(struct symbols *symbols, const struct pack_hit *hit);

/*
 * Appends the section "lines" for HITS to OUT; nothing if no source line is
 * known. Binaries that may have changed since the recording are skipped.
 */
void pack_lines_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
