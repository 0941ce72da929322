/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions and data to which the code of sampled functions refers,
 * and whose names are shown in disassembly. References are found by byte
 * patterns, so some names may be found that no instruction needs.
 */
#ifndef DWELL_REPORT_PACK_PACK_TARGETS_H
#define DWELL_REPORT_PACK_PACK_TARGETS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Adds the named functions to which the functions at HITS call or jump to RET,
 * unsorted. Supports x86 and aarch64.
 */
void pack_targets_find(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct pack_hits *ret);

/*
 * Appends a section with the names of the data that the functions at HITS
 * access (data_names.h); nothing if no data has a name. HITS are sorted.
 * Supports x86-64 and aarch64.
 */
void pack_data_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
