/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recording takes along so that it can be read elsewhere: the build
 * IDs of the files that were hit, and the symbols that were hit.
 */
#ifndef DWELL_RECORD_SYMBOLS_EMBED_H
#define DWELL_RECORD_SYMBOLS_EMBED_H

#include "common/elf/kallsyms.h"
#include "common/file/feature.h"
#include "common/jit/jitdump.h"
#include "common/util/strbuf.h"
#include "record/symbols/jit_files.h"
#include "record/symbols/pinned_files.h"
#include "record/symbols/sampled_code.h"

/* Fills the BUILD_ID feature, hottest first, up to 16 MiB. */
void embed_build_ids(struct hits *hits, struct features *closing);

struct embed {
	struct hits *hits;
	const struct kallsyms *kallsyms; /* may be empty */
	struct patience *patience;
	const struct pins *pins;
	const struct jits *jits;
	struct jitdump_clock clock;
	uint64_t started; /* CLOCK_REALTIME, ns */
};

/*
 * Appends the "symbols" section (common/file/symbols_section.h). Symbols are taken from a
 * file only if it is the one that was mapped (file_symbols.h).
 */
void embed_symbols(const struct embed *embed, struct strbuf *out);
/* Appends the "jit" section (common/file/jit_section.h). */
void embed_jit(const struct embed *embed, struct strbuf *out);

#endif
