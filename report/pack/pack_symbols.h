/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell pack` adds to a recording's symbols: those that were hit of DSOs
 * which the recorder had none of, or few, and this machine has.
 */
#ifndef DWELL_REPORT_PACK_PACK_SYMBOLS_H
#define DWELL_REPORT_PACK_PACK_SYMBOLS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Appends a section as symbols_section.h tells; nothing if there is nothing to add. */
void pack_symbols_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
