/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds programs and libraries with a relevant share of samples that were
 * missing during packing, or have no debug information, or only a part of it.
 */
#ifndef DWELL_REPORT_PACK_PACK_MISSING_H
#define DWELL_REPORT_PACK_PACK_MISSING_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* All members are borrowed; the hits are sorted. */
struct pack_missing_input {
	const struct pack_hits *hits;
	const struct pack_weights *weights;
	struct symbols *symbols;
};
/*
 * The messages about missing files, about files without debug information, and
 * about files that refer to missing files with debug information; empty if
 * there are none.
 */
struct pack_missing {
	struct strbuf absent, bare, split;
};
/* The caller deinits RET. */
void pack_missing_find(const struct pack_missing_input *input,
	struct files *files, struct pack_missing *ret);
void pack_missing_deinit(struct pack_missing *missing);

#endif
