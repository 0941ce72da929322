/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rules (CFI) of one DSO, by file offset. Addresses in CFI are
 * linked addresses, which differ from file offsets by segment. In bytes, only
 * the rules that were used are stored (cfi_subset.h).
 */
#ifndef DWELL_REPORT_UNWIND_DSO_RULES_H
#define DWELL_REPORT_UNWIND_DSO_RULES_H

#include "common/unwind/cfi.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"
#include "report/survey/jitdumps.h"
#include "report/symbols/packed_dsos.h"

/* Zero-initialized it is empty. */
struct dso_rules {
	ARRAY(struct cfi *) cfis; /* owned */
	ARRAY(struct dso_rules_part {
		struct elf_segment code;
		uint32_t cfi; /* index in .cfis */
	})
	parts; /* by start, disjoint */
};

void dso_rules_deinit(struct dso_rules *rules);

/* Adds CFI of N SEGMENTS; the first addition counts. Takes ownership of CFI. */
void dso_rules_add(struct dso_rules *rules, struct cfi *cfi,
	const struct elf_segment *segments, size_t n);

/* Whether both have one CFI of the same segments. */
bool dso_rules_have_same_parts(
	const struct dso_rules *left, const struct dso_rules *right);

/* The rules at an offset, which are valid from START to END. */
struct dso_rules_answer {
	uint64_t start, end;
	uint64_t delta;  /* offset + delta is an address in CFI */
	struct cfi *cfi; /* borrowed; NULL: no rules */
};
struct dso_rules_answer dso_rules_find(
	const struct dso_rules *rules, uint64_t offset);

/*
 * Writes pieces to OUT, which is empty before: the used rules of one CFI of N
 * SEGMENTS each.
 */
void dso_rules_begin(struct strbuf *out);
void dso_rules_put_piece(const struct cfi *cfi,
	const struct elf_segment *segments, size_t n, struct strbuf *out);
/* Writes all of RULES. */
void dso_rules_put(const struct dso_rules *rules, struct strbuf *out);

/* Whether the size in PIECE is SIZE (packed_dsos.h). */
bool dso_rules_have_valid_size(const void *piece, size_t size);
/*
 * Reads such bytes. Returns false if they are damaged or READER's memory limit
 * is reached; READER may be NULL. RET is empty before, and after a failure.
 */
bool dso_rules_take(
	const void *piece, struct reader *reader, struct dso_rules *ret);

/*
 * Writes the used rules of a jitdump's code in the same form. OUT is empty
 * before.
 */
void jit_rules_put(const struct dump_code *code, struct strbuf *out);

/*
 * The "rules" section: unwind rules of the code on the stack copies of a
 * recording, by DSO (doc/format.md).
 */
#define PACKED_RULES_VERSION 1u

/* dso_rules_take() reads each piece. Returns NULL if there is no section. */
static inline struct packed_dsos *packed_rules_create(struct reader *reader)
{
	return packed_dsos_create(reader, SECTION_RULES, PACKED_RULES_VERSION,
		dso_rules_have_valid_size);
}

#endif
