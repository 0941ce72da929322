/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the targets of calls and jumps in functions that samples hit, whose
 * names are shown in disassembly, on x86 and aarch64. Calls are found by byte
 * patterns, so some targets may not be needed.
 */
#ifndef DWELL_REPORT_PACK_PACK_TARGETS_H
#define DWELL_REPORT_PACK_PACK_TARGETS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Adds the targets that have names to RET, unsorted. */
void pack_targets_find(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct pack_hits *ret);

#endif
