/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiled rules of one file: the unwind rule for each address of the
 * file's code. A row of the table has the lower 16 bits of its start address,
 * and the number of its rule, because many rows have the same rule. With an
 * index by pages of 1 KiB of code, a lookup touches two cache lines. The table
 * is contiguous and has no pointers, so it can be stored in a file. This module
 * does not interpret rules.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_TABLE_H
#define DWELL_COMMON_UNWIND_CFI_TABLE_H

#include "common/unwind/cfi_rule.h"
#include "common/util/base.h"

#define CFI_PAGE_SHIFT 10
/*
 * Code that is farther than this from the table's first address is ignored,
 * because it is beyond the reach of x86-64's small code model.
 */
#define CFI_SPAN_MAX (UINT64_C(2) << 30)
#define CFI_ROWS_MAX (8u << 20)
#define CFI_RULES_MAX 0xffffu

/*
 * A table has the same bytes in memory and in cache files. .words contains
 * pages, rows, rules and cuts, in this order. The cuts have one bit per row,
 * set if a function ends directly before the row.
 */
struct cfi_table {
	uint64_t base; /* address of page 0; a multiple of 64 KiB */
	uint32_t n_pages, n_rows, n_rules, n_fdes;
	/*
	 * words[i] is the number of rows that begin before page i, for i from 0
	 * to .n_pages. Rows, rules and cuts follow.
	 */
	uint32_t words[];
};

static inline const uint32_t *cfi_table_rows(const struct cfi_table *table)
{
	return table->words + table->n_pages + 1;
}

static inline size_t cfi_table_cuts_n(uint32_t n_rows)
{
	return ((size_t)n_rows + 31) / 32;
}

static inline size_t cfi_table_size(const struct cfi_table *table)
{
	return sizeof(*table) +
		((size_t)table->n_pages + 1 + table->n_rows + table->n_rules +
			cfi_table_cuts_n(table->n_rows)) *
		sizeof(uint32_t);
}

/* Returns the unwind rule for ADDRESS, or CFI_NONE. */
uint32_t cfi_table_rule(const struct cfi_table *table, uint64_t address);

/* Returns the number of the row that contains ADDRESS, or CFI_ROW_NONE. */
#define CFI_ROW_NONE UINT32_MAX
uint32_t cfi_table_row(const struct cfi_table *table, uint64_t address);
/*
 * Returns true if a row begins at ADDRESS and a function ends directly before.
 */
bool cfi_table_is_cut(const struct cfi_table *table, uint64_t address);
/* Address range of a row, and its rule. */
struct cfi_table_row {
	uint64_t start, end;
	uint32_t rule;
};
struct cfi_table_row cfi_table_row_at(
	const struct cfi_table *table, uint32_t row);

/*
 * Returns true if TABLE, SIZE bytes from an untrusted file, is a table in which
 * no lookup reads outside of the SIZE bytes.
 */
bool cfi_table_is_sound(const struct cfi_table *table, size_t size);

/* Builds a table from rows in address order. */
struct cfi_builder;
/* Creates a builder for a table of which BASE is the first address. */
struct cfi_builder *cfi_builder_create(uint64_t base);
/*
 * Adds a row: RULE is valid from ADDRESS to the next row. Rows beyond
 * CFI_SPAN_MAX or CFI_ROWS_MAX are dropped.
 */
void cfi_builder_add(
	struct cfi_builder *builder, uint64_t address, uint32_t rule);
/*
 * Records that a function ends directly before ADDRESS. The next row is then
 * added even if its rule equals the rule of the last row. If the next row
 * begins at ADDRESS, its bit in the cuts is set.
 */
void cfi_builder_cut(struct cfi_builder *builder, uint64_t address);
/* Returns the rule of the row that was added last, or CFI_NONE. */
uint32_t cfi_builder_last(const struct cfi_builder *builder);
/* Returns the table, owned by the caller; free() it. Frees BUILDER. */
struct cfi_table *cfi_builder_finish(
	struct cfi_builder *builder, uint32_t n_fdes);

#endif
