/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell pack` writes of names of code that was made at run time, where the
 * recording has none of its own, or this machine's jitdumps tell more: as
 * common/file/jit_section.h has them. What else is packed of that code is by their places.
 */
#ifndef DWELL_REPORT_PACK_PACK_JIT_H
#define DWELL_REPORT_PACK_PACK_JIT_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Appends the section; nothing if the recording's own names are all. */
void pack_jit_put(const struct pack_hits *hits, const struct input *input,
	struct symbols *symbols, struct strbuf *out);

#endif
