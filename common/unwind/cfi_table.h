/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiled rules of one file: the rule for each address of its code. A row
 * has 16 bits of address within 64 KiB of code, and the number of a rule,
 * because rules repeat. With an index by 1 KiB of code, a lookup touches two
 * cache lines. The table is one run of bytes without pointers, so it can be
 * stored in a file. This module does not interpret rules.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_TABLE_H
#define DWELL_COMMON_UNWIND_CFI_TABLE_H

#include "common/unwind/cfi_rule.h"
#include "common/util/base.h"

#define CFI_PAGE_SHIFT 10
/*
 * Code farther from the first address is ignored: beyond the reach of x86-64's
 * small code model.
 */
#define CFI_SPAN_MAX (UINT64_C(2) << 30)
#define CFI_ROWS_MAX (8u << 20)
#define CFI_RULES_MAX 0xffffu

/*
 * The same in memory and in cache files, followed by pages, rows, rules and
 * cuts. The cuts have one bit per row, set if a function ends before the row.
 */
struct cfi_table {
	uint64_t base; /* address of page 0; a multiple of 64 KiB */
	uint32_t n_pages, n_rows, n_rules, n_fdes;
	/*
	 * WORDS[i]: number of rows that begin before page i; one more at the
	 * end.
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

/* Returns the rule at ADDRESS, or CFI_NONE. */
uint32_t cfi_table_rule(const struct cfi_table *table, uint64_t address);

/* Returns the number of the row at ADDRESS, or CFI_ROW_NONE. */
#define CFI_ROW_NONE UINT32_MAX
uint32_t cfi_table_row(const struct cfi_table *table, uint64_t address);
/* Returns true if a row begins at ADDRESS and has its cut set. */
bool cfi_table_is_cut(const struct cfi_table *table, uint64_t address);
/* Address range of a row, and its rule. */
struct cfi_table_row {
	uint64_t start, end;
	uint32_t rule;
};
struct cfi_table_row cfi_table_row_at(
	const struct cfi_table *table, uint32_t row);

/*
 * Returns true if SIZE bytes from an untrusted file are a table in which each
 * lookup stays inside.
 */
bool cfi_table_is_sound(const struct cfi_table *table, size_t size);

/* Builds a table from rows in address order. */
struct cfi_builder;
/* BASE is the first address. */
struct cfi_builder *cfi_builder_create(uint64_t base);
/*
 * Sets the rule from ADDRESS on. Rows too far away, or too many, are dropped.
 */
void cfi_builder_add(
	struct cfi_builder *builder, uint64_t address, uint32_t rule);
/*
 * Marks the end of a function before ADDRESS: the next row is added even if its
 * rule equals the last one, and its cut is set if it begins at ADDRESS.
 */
void cfi_builder_cut(struct cfi_builder *builder, uint64_t address);
/* Returns the rule of the last row, or CFI_NONE. */
uint32_t cfi_builder_last(const struct cfi_builder *builder);
/* Frees BUILDER. The result is owned by the caller; free() it. */
struct cfi_table *cfi_builder_finish(
	struct cfi_builder *builder, uint32_t n_fdes);

#endif
