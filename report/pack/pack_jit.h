/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the names of JIT code (common/file/jit_section.h), if the recording
 * has none or if this machine's jitdumps have more. Other packed data of JIT
 * code use its places.
 */
#ifndef DWELL_REPORT_PACK_PACK_JIT_H
#define DWELL_REPORT_PACK_PACK_JIT_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Appends the section; nothing if the recording's own names are complete. */
void pack_jit_put(const struct pack_hits *hits, const struct input *input,
	struct symbols *symbols, struct strbuf *out);

#endif
