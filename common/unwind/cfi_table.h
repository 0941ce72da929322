/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of one file, compiled: for each address of its code the rule that
 * holds there. A row is 16 bits of place within 64 KiB of code and the number
 * of a rule, as the same rules come again and again; an index by 1 KiB of code
 * makes a look-up touch two lines of cache. One run of bytes without pointers,
 * so that it can lie in a file. Says nothing about what rules mean.
 */
#ifndef DWELL_COMMON_UNWIND_CFI_TABLE_H
#define DWELL_COMMON_UNWIND_CFI_TABLE_H

#include "common/unwind/cfi_rule.h"
#include "common/util/base.h"

#define CFI_PAGE_SHIFT 10
/* Code further from the first than this isn't taken: what x86-64's small model can reach. */
#define CFI_SPAN_MAX (UINT64_C(2) << 30)
#define CFI_ROWS_MAX (8u << 20)
#define CFI_RULES_MAX 0xffffu

/*
 * As it lies in memory and in the cache's files: pages, rows, rules and cuts
 * behind it. A cut is a bit for each row, set if a function ends before the row.
 */
struct cfi_table {
	uint64_t base; /* address of page 0, a multiple of 64 KiB */
	uint32_t n_pages, n_rows, n_rules, n_fdes;
	/* PAGE[i]: how many rows begin before page i; one more at the end. */
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

/* CFI_NONE where there is nothing. */
uint32_t cfi_table_rule(const struct cfi_table *table, uint64_t address);

/* The number of the row that ADDRESS is in; CFI_ROW_NONE: it is in none. */
#define CFI_ROW_NONE UINT32_MAX
uint32_t cfi_table_row(const struct cfi_table *table, uint64_t address);
/* Returns true if a row begins at ADDRESS and has its cut set. */
bool cfi_table_is_cut(const struct cfi_table *table, uint64_t address);
/* From where to where a row holds, and its rule. */
struct cfi_table_row {
	uint64_t start, end;
	uint32_t rule;
};
struct cfi_table_row cfi_table_row_at(
	const struct cfi_table *table, uint32_t row);

/*
 * Whether SIZE bytes that somebody else made are a table in which every
 * look-up stays inside.
 */
bool cfi_table_is_sound(const struct cfi_table *table, size_t size);

/* Makes one, from rows in the order of their addresses. */
struct cfi_builder;
/* BASE is the first address. */
struct cfi_builder *cfi_builder_create(uint64_t base);
/* From ADDRESS on RULE holds. Those that are too far or too many are dropped. */
void cfi_builder_add(
	struct cfi_builder *builder, uint64_t address, uint32_t rule);
/*
 * A function ends before ADDRESS: the next row is added also if it has the last
 * one's rule, and its cut is set if it begins at ADDRESS.
 */
void cfi_builder_cut(struct cfi_builder *builder, uint64_t address);
/* The rule that was added last; CFI_NONE: there is none. */
uint32_t cfi_builder_last(const struct cfi_builder *builder);
/* The table is the caller's, to free(); BUILDER is gone. */
struct cfi_table *cfi_builder_finish(
	struct cfi_builder *builder, uint32_t n_fdes);

#endif
