/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the names of data to which functions that samples hit refer, for
 * disassembly (data_names.h), on x86-64 and aarch64. References are found by
 * byte patterns, so some names may be written that no instruction needs.
 */
#ifndef DWELL_REPORT_PACK_PACK_DATA_H
#define DWELL_REPORT_PACK_PACK_DATA_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Appends the section for HITS, sorted; nothing if no data has a name. */
void pack_data_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
