/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was asked of the rules of a piece of code, and what they answered: as
 * much of them as some stacks need. As bytes they lie in a recording
 * (doc/format.md), which may be anybody's. Knows no files; see cfi.h for who
 * collects them, and who answers by them.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_ANSWERS_H
#define DWELL_COMMON_UNWIND_CFI_ANSWERS_H

#include "common/unwind/cfi_program.h"
#include "common/unwind/cfi_table.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

/* Rows that don't fit into 32 bits are rare, but for i386's. */
#define CFI_ANSWERS_ROWS_MAX (1u << 20)
/* Of them all; many rows may have the same long one, and each copies it. */
#define CFI_ANSWERS_EXPRESSIONS_MAX MIB(32)

struct cfi_answers {
	/* From START on RULE holds, ascending; CFI_NONE behind the last. */
	ARRAY(struct cfi_answer {
		uint64_t start;
		uint32_t rule;
	}) rules;
	/* Those that were asked for in full, ascending. */
	ARRAY(struct cfi_row) rows;
	struct strbuf expressions; /* of ROWS, which have their offsets here */
};

void cfi_answers_deinit(struct cfi_answers *answers);

/* RULE holds from START to END; behind all that were added before. */
void cfi_answers_add_rule(struct cfi_answers *answers, uint64_t start,
	uint64_t end, uint32_t rule);
/*
 * ROW, whose expressions lie in SECTION; as above. What is beyond the maxima is
 * left out.
 */
void cfi_answers_add_row(struct cfi_answers *answers,
	const struct cfi_row *row, const struct cfi_section *section);

void cfi_answers_write(const struct cfi_answers *answers, struct strbuf *out);
/* Bytes of memory that cfi_answers_read() will take of B, at most. */
uint64_t cfi_answers_room(struct bytes b);
/*
 * False on damage; RET is to be deinited also then. What comes out can't lead
 * anybody out of it.
 */
bool cfi_answers_read(struct bytes *b, struct cfi_answers *ret);
/* Bytes of memory that they and rules made of them take, at most. */
uint64_t cfi_answers_cost(const struct cfi_answers *answers);

#endif
