/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the symbols and the names of JIT code that samples hit. */
#ifndef DWELL_REPORT_PACK_PACK_SYMBOLS_H
#define DWELL_REPORT_PACK_PACK_SYMBOLS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Appends a section (symbols_section.h) with the symbols of DSOs whose symbols
 * the recorder lacked or had only in part, if this machine has them; nothing if
 * there are no new symbols.
 */
void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

/*
 * Appends a section (common/file/jit_section.h) with the names of JIT code, if
 * the recording has none or if this machine's jitdumps have more; nothing if
 * the recording's own names are complete. Other packed data of JIT code use its
 * places.
 */
void pack_jit_put(const struct pack_hits *hits, const struct input *input,
	struct symbols *symbols, struct strbuf *out);

#endif
