/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs and libraries that samples hit weren't there to be packed, or
 * have no debug information, or not all, as far as they weigh something: of the
 * first two a recording has no lines, and of the first no code.
 */
#ifndef DWELL_REPORT_PACK_PACK_MISSING_H
#define DWELL_REPORT_PACK_PACK_MISSING_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* All borrowed; the hits are sorted. */
struct pack_wanted {
	const struct pack_hits *hits;
	const struct pack_weights *weights;
	struct symbols *symbols;
};
/*
 * What is to be said of those that weren't there, of those without debug
 * information, and of those that refer to other files with it, which aren't there:
 * on one line each; nothing if there are none that weigh.
 */
struct pack_missing {
	struct strbuf absent, bare, split;
};
/* RET is to be deinited. */
void pack_missing_find(const struct pack_wanted *wanted, struct files *files,
	struct pack_missing *ret);
void pack_missing_deinit(struct pack_missing *missing);

#endif
