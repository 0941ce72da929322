/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the sections of `dwell pack` with the symbols of sampled functions and
 * the names of sampled JIT code.
 */
#ifndef DWELL_REPORT_PACK_PACK_SYMBOLS_H
#define DWELL_REPORT_PACK_PACK_SYMBOLS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Appends a section (symbols_section.h) with the symbols that this machine has
 * and the recorder did not write, for the functions at HITS; nothing if there
 * are no new symbols.
 */
void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

/*
 * Appends a section (common/file/jit_section.h) with the names of JIT code at
 * HITS, if the recording has no names or if jitdumps on this machine have more;
 * nothing if the recording's names are complete. Other packed sections refer to
 * JIT code by the addresses in this section.
 */
void pack_jit_put(const struct pack_hits *hits, const struct input *input,
	struct symbols *symbols, struct strbuf *out);

#endif
