/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes symbols that samples hit, of DSOs whose symbols the recorder lacked or
 * had only in part, if this machine has them.
 */
#ifndef DWELL_REPORT_PACK_PACK_SYMBOLS_H
#define DWELL_REPORT_PACK_PACK_SYMBOLS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Appends a section (symbols_section.h); nothing if there are no new symbols.
 */
void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
