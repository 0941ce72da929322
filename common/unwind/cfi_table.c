/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_table.h"

#include "common/util/alloc.h"
#include "common/util/array.h"

#define RULE_SHIFT 16
#define OFFSET_MASK 0xffffu
#define HASH_BITS 17 /* .slots is twice CFI_RULES_MAX */
#define RECENT_BITS 8

/*
 * Returns the number of the last row that begins at or before ADDRESS, plus 1;
 * or 0 if there is no such row.
 */
static inline uint32_t find_table_row(
	const struct cfi_table *table, uint64_t address)
{
	uint64_t at = address - table->base, page = at >> CFI_PAGE_SHIFT;
	const uint32_t *rows = cfi_table_rows(table);
	uint32_t first, offset = (uint32_t)(at & OFFSET_MASK);

	if (page >= table->n_pages)
		return 0;
	first = table->words[page];
	/* Find the last row of this page that begins at or before ADDRESS. */
	return first +
		(uint32_t)sorted_count_before(rows + first,
			MAX(first, table->words[page + 1]) - first, row,
			(*row & OFFSET_MASK) <= offset);
}

static uint32_t table_row_rule(const struct cfi_table *table, uint32_t row)
{
	const uint32_t *rows = cfi_table_rows(table);

	return rows[table->n_rows + (rows[row] >> RULE_SHIFT)];
}

uint32_t cfi_table_rule(const struct cfi_table *table, uint64_t address)
{
	uint32_t n = find_table_row(table, address);

	return n ? table_row_rule(table, n - 1) : CFI_NONE;
}

uint32_t cfi_table_row(const struct cfi_table *table, uint64_t address)
{
	uint32_t n = find_table_row(table, address);

	return n ? n - 1 : CFI_ROW_NONE;
}

/*
 * Returns the start address of row number ROW. If ROW is the number of rows,
 * returns the end of the last page.
 */
static uint64_t table_row_start(const struct cfi_table *table, uint32_t row)
{
	uint64_t page = sorted_count_before(
		table->words + 1, table->n_pages, end, *end <= row);
	uint64_t at = page << CFI_PAGE_SHIFT;

	if (row >= table->n_rows || page == table->n_pages)
		return table->base +
			((uint64_t)table->n_pages << CFI_PAGE_SHIFT);
	at &= ~(uint64_t)OFFSET_MASK;
	return table->base + at + (cfi_table_rows(table)[row] & OFFSET_MASK);
}

struct cfi_table_row cfi_table_row_at(
	const struct cfi_table *table, uint32_t row)
{
	return (struct cfi_table_row){ table_row_start(table, row),
		table_row_start(table, row + 1), table_row_rule(table, row) };
}

bool cfi_table_is_cut(const struct cfi_table *table, uint64_t address)
{
	uint32_t row = cfi_table_row(table, address);

	return row != CFI_ROW_NONE &&
		(cfi_table_rows(table) + table->n_rows +
			table->n_rules)[row / 32] >>
			row % 32 &
		1 &&
		table_row_start(table, row) == address;
}

bool cfi_table_is_sound(const struct cfi_table *table, size_t size)
{
	const uint32_t *rows;
	uint32_t i;

	if (size < sizeof(*table) || table->n_rows > CFI_ROWS_MAX ||
		table->n_rules > CFI_RULES_MAX + 1 ||
		table->n_pages > CFI_SPAN_MAX >> CFI_PAGE_SHIFT ||
		table->base & OFFSET_MASK || size != cfi_table_size(table))
		return false;
	for (i = 0; i < table->n_pages; i++)
		if (table->words[i] > table->words[i + 1])
			return false;
	if (table->words[table->n_pages] > table->n_rows)
		return false;
	rows = cfi_table_rows(table);
	for (i = 0; i < table->n_rows; i++)
		if (rows[i] >> RULE_SHIFT >= table->n_rules)
			return false;
	return true;
}

struct cfi_builder {
	uint64_t base, end; /* .end: start of the last row, plus 1 */
	uint64_t cut;
	bool has_cut; /* .cut was set after the last row was added */
	uint32_t *rows, *pages, *rules, *cuts;
	size_t n_rows, rows_room, n_pages, pages_room, n_rules;
	uint32_t last; /* rule of the last row */
	/*
	 * Hash table of rule numbers plus 1, and a cache of recent lookups in
	 * it.
	 */
	uint32_t slots[1 << HASH_BITS];
	struct {
		uint32_t rule, number;
	} recent[1 << RECENT_BITS];
};

struct cfi_builder *cfi_builder_create(uint64_t base)
{
	struct cfi_builder *builder = xcalloc(1, sizeof(*builder));

	builder->base = base & ~(uint64_t)OFFSET_MASK;
	builder->rules = xmalloc((CFI_RULES_MAX + 1) * sizeof(uint32_t));
	builder->rules[builder->n_rules++] = CFI_NONE;
	builder->rules[builder->n_rules++] = CFI_COMPLEX;
	builder->slots[0] = 1;
	builder->last = CFI_NONE;
	return builder;
}

static uint32_t find_rule_number(
	struct cfi_builder *builder, uint32_t rule, uint32_t hash)
{
	uint32_t probe = hash >> (32 - HASH_BITS);

	for (;; probe = (probe + 1) & ((1u << HASH_BITS) - 1)) {
		uint32_t *slot = &builder->slots[probe];

		if (*slot && builder->rules[*slot - 1] == rule)
			return *slot - 1;
		if (*slot)
			continue;
		/*
		 * The table has no room for the rule: return number 1,
		 * CFI_COMPLEX, so that the row is interpreted.
		 */
		if (builder->n_rules > CFI_RULES_MAX)
			return 1;
		builder->rules[builder->n_rules++] = rule;
		*slot = (uint32_t)builder->n_rules;
		return *slot - 1;
	}
}

static void push_table_pages(struct cfi_builder *builder, uint64_t page)
{
	while (builder->n_pages <= page) {
		if (builder->n_pages == builder->pages_room) {
			builder->pages_room = builder->pages_room * 2 + 256;
			builder->pages = xrealloc_array(builder->pages,
				builder->pages_room, sizeof(uint32_t));
		}
		builder->pages[builder->n_pages++] = (uint32_t)builder->n_rows;
	}
}

void cfi_builder_cut(struct cfi_builder *builder, uint64_t address)
{
	builder->cut = address;
	builder->has_cut = true;
}

void cfi_builder_add(
	struct cfi_builder *builder, uint64_t address, uint32_t rule)
{
	uint64_t at = address - builder->base;

	if ((rule == builder->last && !builder->has_cut) ||
		at >= CFI_SPAN_MAX || at < builder->end ||
		builder->n_rows == CFI_ROWS_MAX)
		return;
	if (builder->n_rows >= builder->rows_room) {
		size_t old = cfi_table_cuts_n((uint32_t)builder->rows_room);
		size_t new;

		builder->rows_room = builder->rows_room * 2 + 1024;
		new = cfi_table_cuts_n((uint32_t)builder->rows_room);
		builder->rows = xrealloc_array(
			builder->rows, builder->rows_room, sizeof(uint32_t));
		builder->cuts =
			xrealloc_array(builder->cuts, new, sizeof(uint32_t));
		memset(builder->cuts + old, 0, (new - old) * sizeof(uint32_t));
	}
	if (builder->has_cut && builder->cut == address)
		builder->cuts[builder->n_rows / 32] |= UINT32_C(1)
			<< builder->n_rows % 32;
	builder->has_cut = false;
	push_table_pages(builder, at >> CFI_PAGE_SHIFT);
	uint32_t hash = rule * UINT32_C(0x9e3779b1);
	typeof(*builder->recent) *recent =
		&builder->recent[hash >> (32 - RECENT_BITS)];

	/* A zero-initialized *recent is valid: rule 0 has number 0. */
	if (recent->rule != rule) {
		recent->number = find_rule_number(builder, rule, hash);
		recent->rule = rule;
	}
	builder->rows[builder->n_rows++] =
		recent->number << RULE_SHIFT | (uint32_t)(at & OFFSET_MASK);
	builder->last = rule;
	builder->end = at + 1;
}

uint32_t cfi_builder_last(const struct cfi_builder *builder)
{
	return builder->last;
}

struct cfi_table *cfi_builder_finish(
	struct cfi_builder *builder, uint32_t n_fdes)
{
	struct cfi_table head = { .base = builder->base, .n_fdes = n_fdes };
	struct cfi_table *table;
	uint32_t *at;

	head.n_pages = (uint32_t)builder->n_pages;
	head.n_rows = (uint32_t)builder->n_rows;
	head.n_rules = (uint32_t)builder->n_rules;
	/* Add a last element to the pages: the number of all rows. */
	push_table_pages(builder, builder->n_pages);
	table = xmalloc(cfi_table_size(&head));
	memcpy(table, &head, sizeof(head));
	at = mempcpy(table->words, builder->pages,
		builder->n_pages * sizeof(uint32_t));
	if (builder->n_rows)
		at = mempcpy(
			at, builder->rows, builder->n_rows * sizeof(uint32_t));
	at = mempcpy(at, builder->rules, builder->n_rules * sizeof(uint32_t));
	if (builder->n_rows)
		memcpy(at, builder->cuts,
			cfi_table_cuts_n(head.n_rows) * sizeof(uint32_t));
	free(builder->pages);
	free(builder->rows);
	free(builder->rules);
	free(builder->cuts);
	free(builder);
	return table;
}
