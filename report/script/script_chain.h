/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call chains in the format of dwell script, one frame per line. Most call
 * chains of a recording are repeated, so their texts are kept, up to
 * SCRIPT_CHAIN_KEPT_MAX bytes; then all are dropped.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_CHAIN_H
#define DWELL_REPORT_SCRIPT_SCRIPT_CHAIN_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "report/script/script_code.h"

#define SCRIPT_CHAIN_KEPT_MAX MIB(4)

struct script_chains {
	struct script_code *code; /* borrowed */
	uint64_t max_frames;	  /* of a chain, without context markers */
	struct strbuf texts;
	ARRAY(struct script_chain {
		uint64_t hash;	 /* identifies the chain */
		size_t at, size; /* in texts */
	})
	kept;
	struct hash_index by_hash;
};

void script_chains_deinit(struct script_chains *chains);

/* Appends the chain of SAMPLE, of address space SPACE, with FIELDS to OUT. */
void script_chains_put(struct script_chains *chains,
	const struct sample *sample, uint32_t space, uint32_t fields,
	struct strbuf *out);

#endif
