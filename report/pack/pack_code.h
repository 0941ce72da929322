/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the "code" section of `dwell pack`: the machine code of sampled
 * functions, and the code that the unwinding of stack copies reads
 * (code_bytes.h). A file is read only if it is proven to be the
 * recorded file.
 */
#ifndef DWELL_REPORT_PACK_PACK_CODE_H
#define DWELL_REPORT_PACK_PACK_CODE_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"
#include "report/unwind/address_rules.h"

/* Limit of all code, in bytes; further code is left out, which is reported. */
#define PACK_CODE_MAX MIB(64)

/*
 * Appends the section "code" for the functions at HITS, and for the code that
 * RULES read, to OUT; nothing if no code was found. RULES is NULL if the
 * recording has no stack copies.
 */
void pack_code_put(const struct pack_hits *hits, struct address_rules *rules,
	struct symbols *symbols, struct files *files, struct strbuf *out);

#endif
