/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions that were hit call and jump to, which whoever disassembles
 * them shows by name: of x86 and aarch64, by the bytes alone. What looks like a
 * call and is none names a function too many.
 */
#ifndef DWELL_REPORT_PACK_PACK_TARGETS_H
#define DWELL_REPORT_PACK_PACK_TARGETS_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Adds these places to RET, unsorted, if they have names. */
void pack_targets_find(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct pack_hits *ret);

#endif
