/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A subset of the unwind rules of a piece of code: the rules that some stacks
 * need. dwell pack writes the subset into a recording (doc/format.md), so a
 * subset that is read from a recording is untrusted. cfi.h collects a subset
 * and creates a struct cfi from it.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_SUBSET_H
#define DWELL_COMMON_UNWIND_CFI_SUBSET_H

#include "common/unwind/cfi_program.h"
#include "common/unwind/cfi_table.h"
#include "common/util/array.h"
#include "common/util/strbuf.h"

/*
 * Limit of full CFI rows in a subset. Except on i386, rows that do not fit into
 * a rule of 32 bits are rare.
 */
#define CFI_SUBSET_ROWS_MAX (1u << 20)
/*
 * Limit of the DWARF expressions of a subset together, in bytes. If rows have
 * the same long expression, each row has a copy.
 */
#define CFI_SUBSET_EXPRESSIONS_MAX MIB(32)

struct cfi_subset {
	/*
	 * Rules in the order of their addresses. A rule is valid from its
	 * .start to the next .start. The last rule is CFI_NONE.
	 */
	ARRAY(struct cfi_subset_rule {
		uint64_t start;
		uint32_t rule;
	})
	rules;
	/* Full CFI rows, for rules that are CFI_COMPLEX; ascending. */
	ARRAY(struct cfi_row) rows;
	/* DWARF expressions, to which the offsets in .rows refer */
	struct strbuf expressions;
};

void cfi_subset_deinit(struct cfi_subset *subset);

/*
 * Adds RULE for the addresses from START to END. Rules must be added in
 * ascending order.
 */
void cfi_subset_add_rule(
	struct cfi_subset *subset, uint64_t start, uint64_t end, uint32_t rule);
/*
 * Adds a copy of ROW and of its expressions, which are in SECTION. Rows must be
 * added in ascending order. Rows beyond CFI_SUBSET_ROWS_MAX or
 * CFI_SUBSET_EXPRESSIONS_MAX are dropped.
 */
void cfi_subset_add_row(struct cfi_subset *subset, const struct cfi_row *row,
	const struct cfi_section *section);

void cfi_subset_write(const struct cfi_subset *subset, struct strbuf *out);
/* Returns the maximum of bytes that cfi_subset_read() allocates for B. */
uint64_t cfi_subset_room(struct bytes b);
/*
 * Reads a subset, as cfi_subset_write() writes it, from B into RET. Returns
 * false if B is damaged. RET needs cfi_subset_deinit() in any case. All
 * expression offsets in RET are checked.
 */
bool cfi_subset_read(struct bytes *b, struct cfi_subset *ret);
/*
 * Returns the maximum of bytes of memory of SUBSET and of the rules created
 * from it.
 */
uint64_t cfi_subset_cost(const struct cfi_subset *subset);

#endif
