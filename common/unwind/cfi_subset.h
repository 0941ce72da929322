/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A subset of the unwind rules of a piece of code: those that some stacks need.
 * dwell pack writes the subset into a recording (doc/format.md), so the bytes
 * that are read are untrusted. cfi.h collects a subset and creates rules from
 * it.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_SUBSET_H
#define DWELL_COMMON_UNWIND_CFI_SUBSET_H

#include "common/unwind/cfi_program.h"
#include "common/unwind/cfi_table.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

/* Limit of rows. Except on i386, rows that do not fit into 32 bits are rare. */
#define CFI_SUBSET_ROWS_MAX (1u << 20)
/*
 * Limit of all expressions together. Rows with the same long expression each
 * have a copy.
 */
#define CFI_SUBSET_EXPRESSIONS_MAX MIB(32)

struct cfi_subset {
	/*
	 * RULE is valid from START to the next START, ascending; the last is
	 * CFI_NONE.
	 */
	ARRAY(struct cfi_subset_rule {
		uint64_t start;
		uint32_t rule;
	}) rules;
	/* Rows that were read in full, ascending. */
	ARRAY(struct cfi_row) rows;
	/* of ROWS; their offsets refer to this buffer */
	struct strbuf expressions;
};

void cfi_subset_deinit(struct cfi_subset *subset);

/* Adds RULE from START to END. Must not be before rules already added. */
void cfi_subset_add_rule(struct cfi_subset *subset, uint64_t start,
	uint64_t end, uint32_t rule);
/*
 * Adds ROW, with expressions in SECTION. Must not be before rows already added.
 * Rows beyond the limits are dropped.
 */
void cfi_subset_add_row(struct cfi_subset *subset,
	const struct cfi_row *row, const struct cfi_section *section);

void cfi_subset_write(const struct cfi_subset *subset, struct strbuf *out);
/* Returns the maximum of bytes that cfi_subset_read() allocates for B. */
uint64_t cfi_subset_room(struct bytes b);
/*
 * Returns false if B is damaged; RET needs cfi_subset_deinit() in any case. All
 * offsets in RET are checked.
 */
bool cfi_subset_read(struct bytes *b, struct cfi_subset *ret);
/*
 * Returns the maximum of bytes of memory of SUBSET and of the rules created
 * from it.
 */
uint64_t cfi_subset_cost(const struct cfi_subset *subset);

#endif
