/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the data that functions which were hit refer to, which whoever
 * disassembles them shows (data_names.h): of x86-64 and aarch64, by the bytes
 * alone. What looks like such an instruction and is none names data too much.
 */
#ifndef DWELL_REPORT_PACK_PACK_DATA_H
#define DWELL_REPORT_PACK_PACK_DATA_H

#include "report/pack/pack_hits.h"
#include "report/symbols/symbols.h"

/* Appends the section of HITS, sorted; nothing if none has a name. */
void pack_data_put(const struct pack_hits *hits, struct symbols *symbols,
	struct files *files, struct strbuf *out);

#endif
