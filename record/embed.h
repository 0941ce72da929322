/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recording takes along so that it can be read elsewhere: the build
 * IDs of the files that were hit, and the symbols that were hit.
 */
#ifndef DWELL_RECORD_EMBED_H
#define DWELL_RECORD_EMBED_H

#include "common/feature.h"
#include "common/kallsyms.h"
#include "common/strbuf.h"
#include "record/hits.h"

/* Fills the BUILD_ID feature, hottest first, to what fits one record. */
void embed_build_ids(struct hits *hits, struct features *closing);

/*
 * Appends the "symbols" section (common/bundle.h). Symbols are taken from a
 * file only if it is the one that was mapped: by its build ID, or else by its
 * inode and a modification time before STARTED (CLOCK_REALTIME, ns).
 * KALLSYMS may be empty.
 */
void embed_symbols(struct hits *hits, const struct kallsyms *kallsyms,
	uint64_t started, struct strbuf *out);

#endif
