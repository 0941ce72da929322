/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of code and data, branches, and call chains, in the format of dwell
 * script: " symbol+0x12 (dso)". The texts of addresses are kept, up to
 * SCRIPT_CODE_KEPT_MAX bytes; then all are dropped.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_CODE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_CODE_H

#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"
#include "report/resolve/resolve.h"
#include "report/util/script_field.h"

/* Combinations of sym, symoff and dso. Texts with source lines are not kept. */
#define SCRIPT_CODE_SHAPES 8u

#define SCRIPT_CODE_KEPT_MAX MIB(8)
#define SCRIPT_CHAIN_KEPT_MAX MIB(4)

struct script_code {
	struct resolver *resolver; /* borrowed */
	struct script_texts {
		struct strbuf kept;
		uint64_t dropped; /* bytes */
		ARRAY(struct script_text {
			uint64_t at; /* offset, including dropped bytes */
			size_t size; /* 0: not made yet */
		})
		of; /* by the number of the frame */
	} texts[SCRIPT_CODE_SHAPES];
};

void script_code_deinit(struct script_code *code);

/*
 * Appends " symbol+0x12 (dso)", as far as FIELDS has sym, symoff and dso, to
 * OUT.
 * "[unknown]" replaces a missing symbol or DSO.
 */
void script_code_put(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out);
/* The same after the offset in the file, or the kernel address, in hex. */
void script_code_put_place(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out);

/*
 * Resolves an address of data or of a branch: in SPACE, otherwise in the
 * kernel, independently of the mode of the sample.
 */
struct resolved script_code_find(
	struct script_code *code, uint32_t space, uint64_t address);

/*
 * Appends the branches of SAMPLE in the first style of brstack, brstacksym and
 * brstackoff that FIELDS has: FROM/TO/PREDICTED/TRANSACTION/ABORT/CYCLES/TYPE
 * for each branch.
 */
void script_code_put_branches(struct script_code *code, uint32_t fields,
	const struct sample *sample, uint32_t space, struct strbuf *out);

/*
 * Call chains, one frame per line. Most call chains of a recording are
 * repeated, so their texts are kept, up to SCRIPT_CHAIN_KEPT_MAX bytes; then
 * all are dropped.
 */
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
