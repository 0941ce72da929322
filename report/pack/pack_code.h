/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `dwell pack` writes of code: the bytes of functions that were hit, each
 * once (packed_code.h). What this machine doesn't know for certain to be what
 * ran is left out.
 */
#ifndef DWELL_REPORT_PACK_PACK_CODE_H
#define DWELL_REPORT_PACK_PACK_CODE_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Of all functions together; what is beyond that is left out, which is said. */
#define PACK_CODE_MAX MIB(64)

/* Appends the section; nothing if there are no bytes. */
void pack_code_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
