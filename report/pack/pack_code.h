/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "code" section of `dwell pack`: the bytes of functions that
 * samples hit, each once (code_bytes.h). Files that are not proven to be the
 * recorded ones are skipped.
 */
#ifndef DWELL_REPORT_PACK_PACK_CODE_H
#define DWELL_REPORT_PACK_PACK_CODE_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/*
 * Limit of all functions together; further functions are left out with a
 * message.
 */
#define PACK_CODE_MAX MIB(64)

/* Appends the section to OUT, or nothing if no code was found. */
void pack_code_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
