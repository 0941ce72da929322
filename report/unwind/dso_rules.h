/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwinding rules of one DSO, by file offset: of a file, whose segments are
 * linked elsewhere than they lie, or of what stands for one. As bytes they are
 * what was asked of them (cfi_answers.h).
 */
#ifndef DWELL_REPORT_UNWIND_DSO_RULES_H
#define DWELL_REPORT_UNWIND_DSO_RULES_H

#include "common/unwind/cfi.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

/* A zeroed one is empty: nothing is known. */
struct dso_rules {
	ARRAY(struct cfi *) cfis; /* owned */
	ARRAY(struct dso_rules_part {
		struct elf_segment code;
		uint32_t cfi; /* number of one of those above */
	}) parts; /* by start, none overlaps another */
};

void dso_rules_deinit(struct dso_rules *rules);

/* CFI, which is RULES' from then on, is of N SEGMENTS; the first one counts. */
void dso_rules_add(struct dso_rules *rules, struct cfi *cfi,
	const struct elf_segment *segments, size_t n);

/* Whether both have one CFI, of the same segments. */
bool dso_rules_are_alike(
	const struct dso_rules *left, const struct dso_rules *right);

/* The same answer as at OFFSET is given from START to END. */
struct dso_rules_answer {
	uint64_t start, end;
	uint64_t delta;  /* OFFSET + DELTA is what CFI knows */
	struct cfi *cfi; /* borrowed; NULL: no rules are known */
};
struct dso_rules_answer dso_rules_find(
	const struct dso_rules *rules, uint64_t offset);

/*
 * As bytes in OUT, which is empty before: what the pieces that are put there were
 * asked, each a CFI of N SEGMENTS.
 */
void dso_rules_begin(struct strbuf *out);
void dso_rules_put_piece(const struct cfi *cfi,
	const struct elf_segment *segments, size_t n, struct strbuf *out);
/* All of RULES. */
void dso_rules_put(const struct dso_rules *rules, struct strbuf *out);

/* Whether SIZE bytes at PIECE have their own end (packed_dsos.h). */
bool dso_rules_are_whole(const void *piece, size_t size);
/*
 * Reads such bytes, as far as READER affords it, which may be NULL. False on
 * damage; RET, which is empty before, is so afterwards, too.
 */
struct reader;
bool dso_rules_take(
	const void *piece, struct reader *reader, struct dso_rules *ret);

#endif
