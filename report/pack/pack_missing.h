/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the programs and libraries with at least 1 % of the samples that `dwell
 * pack` did not find, or whose debug information it found not at all or only in
 * part.
 */
#ifndef DWELL_REPORT_PACK_PACK_MISSING_H
#define DWELL_REPORT_PACK_PACK_MISSING_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Input of pack_missing_find(). All members are borrowed; .hits are sorted. */
struct pack_missing_input {
	const struct pack_hits *hits;
	const struct pack_weights *weights;
	struct symbols *symbols;
};
/*
 * Messages about missing binaries (.absent), about binaries without debug
 * information (.bare), and about binaries that refer to missing debug files
 * (.split). A message is empty if it applies to no binary.
 */
struct pack_missing {
	struct strbuf absent, bare, split;
};
/* The caller frees RET with pack_missing_deinit(). */
void pack_missing_find(const struct pack_missing_input *input,
	struct files *files, struct pack_missing *ret);
void pack_missing_deinit(struct pack_missing *missing);

#endif
