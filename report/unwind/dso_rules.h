/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind rules (CFI) of one DSO, by file offset. Addresses in CFI are
 * linked addresses, which differ from file offsets by segment. The serialized
 * form contains only rules that were used (cfi_subset.h).
 */
#ifndef DWELL_REPORT_UNWIND_DSO_RULES_H
#define DWELL_REPORT_UNWIND_DSO_RULES_H

#include "common/file/packed_dsos.h"
#include "common/unwind/cfi.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/strbuf.h"
#include "report/survey/jitdumps.h"

/* A zero-initialized struct is empty. */
struct dso_rules {
	ARRAY(struct cfi *) cfis; /* owned */
	ARRAY(struct dso_rules_part {
		struct elf_segment code;
		uint32_t cfi; /* index in .cfis */
	})
	parts; /* disjoint code ranges, sorted by start */
};

void dso_rules_deinit(struct dso_rules *rules);

/*
 * Adds CFI, the rules for the code of N SEGMENTS. Where segments overlap, the
 * first one is used. Takes ownership of CFI.
 */
void dso_rules_add(struct dso_rules *rules, struct cfi *cfi,
	const struct elf_segment *segments, size_t n);

/* Whether LEFT and RIGHT have one struct cfi each, for the same segments. */
bool dso_rules_have_same_parts(
	const struct dso_rules *left, const struct dso_rules *right);

/*
 * The rules at a file offset. The rules are valid for the offsets from .start
 * to .end.
 */
struct dso_rules_answer {
	uint64_t start, end;
	uint64_t delta;	 /* file offset + delta is a linked address, as in
	                  * .cfi */
	struct cfi *cfi; /* borrowed; NULL: no rules */
};
struct dso_rules_answer dso_rules_find(
	const struct dso_rules *rules, uint64_t offset);

/*
 * dso_rules_begin() writes the header of serialized rules to OUT, which is
 * empty before. dso_rules_put_piece() appends the used rules of CFI, which are
 * for the code of N SEGMENTS.
 */
void dso_rules_begin(struct strbuf *out);
void dso_rules_put_piece(const struct cfi *cfi,
	const struct elf_segment *segments, size_t n, struct strbuf *out);
/* Writes the used rules of RULES to OUT, which is empty before. */
void dso_rules_put(const struct dso_rules *rules, struct strbuf *out);

/*
 * Whether the header of PIECE, the serialized rules of a DSO, contains the size
 * SIZE (packed_is_valid of packed_dsos.h).
 */
bool dso_rules_have_valid_size(const void *piece, size_t size);
/*
 * Reads the serialized rules at PIECE. Returns false if the rules are damaged
 * or BUDGET does not suffice. RET is empty before
 * the call, and after a failure.
 */
bool dso_rules_take(
	const void *piece, struct budget *budget, struct dso_rules *ret);

/*
 * Writes the used rules of a jitdump's code to OUT in the format of
 * dso_rules_put(). OUT is empty before.
 */
void dso_rules_put_jit(const struct jitdumps_code *code, struct strbuf *out);

/*
 * The section "rules" (doc/format.md): for each DSO, the unwind rules that the
 * stack copies of the recording need.
 */
#define PACKED_RULES_VERSION 1u

/*
 * Opens the section "rules" of a recording; dso_rules_take() reads its data of
 * a DSO. Returns NULL if the recording has no such section.
 */
static inline struct packed_dsos *dso_rules_create_packed(struct reader *reader)
{
	return packed_dsos_create(reader, SECTION_RULES, PACKED_RULES_VERSION,
		dso_rules_have_valid_size);
}

#endif
