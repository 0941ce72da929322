/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats addresses of code and data, branches, and call chains for dwell
 * script: " symbol+0x12 (dso)". The texts of addresses are cached, up to
 * SCRIPT_CODE_KEPT_MAX bytes; then the cache is cleared.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_CODE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_CODE_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"
#include "report/resolve/resolve.h"
#include "report/util/script_field.h"

/*
 * Number of combinations of the fields sym, symoff and dso, each of which has
 * its own cache. Texts with source lines are not cached.
 */
#define SCRIPT_CODE_SHAPES 8u

#define SCRIPT_CODE_KEPT_MAX MIB(8)
#define SCRIPT_CHAIN_KEPT_MAX MIB(4)

struct script_code {
	struct resolver *resolver; /* borrowed */
	struct script_texts {
		struct strbuf kept;
		uint64_t dropped; /* bytes that were removed from .kept */
		ARRAY(struct script_text {
			uint64_t at; /* offset in .kept, plus .dropped */
			size_t size; /* 0: not formatted yet */
		})
		of; /* texts in .kept, by .number of struct resolver_frame */
	} texts[SCRIPT_CODE_SHAPES];
};

void script_code_deinit(struct script_code *code);

/*
 * Appends the parts of " symbol+0x12 (dso)" that FIELDS selects (sym, symoff,
 * dso) to OUT. "[unknown]" replaces a missing symbol or DSO.
 */
void script_code_put(struct script_code *code, struct resolver_frame at,
	uint32_t fields, struct strbuf *out);
/*
 * Appends the file offset of AT (for the kernel, the address) in hex, and the
 * text that script_code_put() appends.
 */
void script_code_put_place(struct script_code *code, struct resolver_frame at,
	uint32_t fields, struct strbuf *out);

/*
 * Resolves ADDRESS, of data or of a branch, in the address space SPACE,
 * otherwise in the kernel. The CPU mode of the sample is not used.
 */
struct resolver_frame script_code_find(
	struct script_code *code, uint32_t space, uint64_t address);

/*
 * Appends the branches of SAMPLE in the first style of brstack, brstacksym and
 * brstackoff that FIELDS has: FROM/TO/PREDICTED/TRANSACTION/ABORT/CYCLES/TYPE
 * for each branch.
 */
void script_code_put_branches(struct script_code *code, uint32_t fields,
	const struct sample *sample, uint32_t space, struct strbuf *out);

/*
 * A cache of formatted call chains, one frame per line. Most call chains of a
 * recording occur repeatedly. If the texts exceed SCRIPT_CHAIN_KEPT_MAX bytes,
 * the cache is cleared.
 */
struct script_chains {
	struct script_code *code; /* borrowed */
	uint64_t max_frames;	  /* limit of frames per call chain, without
				     context markers */
	struct strbuf texts;
	ARRAY(struct script_chain {
		uint64_t hash;	 /* hash that identifies the call chain */
		size_t at, size; /* position in .texts */
	})
	kept;
	struct hash_index by_hash;
};

void script_chains_deinit(struct script_chains *chains);

/*
 * Appends the call chain of SAMPLE, with the selected FIELDS of each frame, to
 * OUT. SPACE is the address space of the sampled process.
 */
void script_chains_put(struct script_chains *chains,
	const struct sample *sample, uint32_t space, uint32_t fields,
	struct strbuf *out);

#endif
