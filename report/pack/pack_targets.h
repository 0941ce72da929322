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
 * Adds the targets of calls and jumps that have names to RET, unsorted; on x86
 * and aarch64.
 */
void pack_targets_find(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct pack_hits *ret);

/*
 * Appends the section with the names of data (data_names.h) for HITS, sorted;
 * nothing if no data has a name. On x86-64 and aarch64.
 */
void pack_data_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
