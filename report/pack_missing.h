/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs and libraries that samples hit weren't there to be packed, or
 * have no debug information, as far as they weigh something: of these a recording
 * has no lines, and of the first no code.
 */
#ifndef DWELL_PACK_MISSING_H
#define DWELL_PACK_MISSING_H

#include "report/pack_hits.h"
#include "report/symbols.h"

/* All borrowed; the hits are sorted. */
struct pack_wanted {
	const struct pack_hits *hits;
	const struct pack_weights *weights;
	struct symbols *symbols;
};
/*
 * What is to be said of those that weren't there, and of those without debug
 * information, on one line each; nothing if there are none that weigh.
 */
void pack_missing_put(const struct pack_wanted *wanted, struct files *files,
	struct strbuf *absent_ret, struct strbuf *bare_ret);

#endif
