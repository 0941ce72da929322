/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callchains as `dwell script` prints them, a frame a line. A recording has
 * most chains many times, so their texts are remembered, as long as they take
 * no more than SCRIPT_CHAIN_KEPT_MAX; then they are forgotten.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_CHAIN_H
#define DWELL_REPORT_SCRIPT_SCRIPT_CHAIN_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "report/script/script_code.h"

#define SCRIPT_CHAIN_KEPT_MAX MIB(4)

struct script_chains {
	struct script_code *code; /* borrowed */
	uint64_t max_frames;      /* of a chain, markers left out */
	struct strbuf texts;
	ARRAY(struct script_chain {
		uint64_t hash; /* told apart by it, as stacks are */
		size_t at, size; /* in texts */
	}) kept;
	struct hash_index by_hash;
};

void script_chains_deinit(struct script_chains *chains);

/* SAMPLE's, which was taken in SPACE; a line for each frame with FIELDS. */
void script_chains_put(struct script_chains *chains,
	const struct sample *sample, uint32_t space, uint32_t fields,
	struct strbuf *out);

#endif
