/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_subset.h"

#define RULE_SIZE 8u
#define ROW_FIXED 24u
#define PLACE_SIZE 12u
#define PLACE_CFA 0xffu /* stands for the CFA, in place of a register number */

void cfi_subset_deinit(struct cfi_subset *subset)
{
	array_free(&subset->rules);
	array_free(&subset->rows);
	strbuf_free(&subset->expressions);
}

/* --- adding --------------------------------------------------------------- */

void cfi_subset_add_rule(
	struct cfi_subset *subset, uint64_t start, uint64_t end, uint32_t rule)
{
	size_t n = subset->rules.n;

	if (rule == CFI_NONE || start >= end)
		return;
	/* Replace the element that marks the end of the previous rule. */
	if (n && subset->rules.at[n - 1].start == start)
		subset->rules.n--;
	/* Equal neighbours are one rule, as in a table that was made of a subset. */
	if (n == subset->rules.n || subset->rules.at[n - 2].rule != rule)
		*array_push(&subset->rules) =
			(struct cfi_subset_rule){ start, rule };
	*array_push(&subset->rules) = (struct cfi_subset_rule){ end, CFI_NONE };
}

static bool has_cfi_expression(const struct cfi_place *place)
{
	return place->where == CFI_AT_RESULT || place->where == CFI_IS_RESULT;
}

static void copy_expression(struct cfi_subset *subset, struct cfi_place *place,
	const struct cfi_section *section)
{
	size_t at = subset->expressions.n;

	if (!has_cfi_expression(place))
		return;
	strbuf_put(&subset->expressions, section->at + place->offset, place->n);
	place->offset = (int32_t)at;
}

void cfi_subset_add_row(struct cfi_subset *subset, const struct cfi_row *row,
	const struct cfi_section *section)
{
	uint64_t size = has_cfi_expression(&row->cfa) ? row->cfa.n : 0;
	struct cfi_row *copy;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row->at); i++)
		size += has_cfi_expression(&row->at[i]) ? row->at[i].n : 0;
	if (subset->rows.n == CFI_SUBSET_ROWS_MAX ||
		subset->expressions.n + size > CFI_SUBSET_EXPRESSIONS_MAX)
		return;
	copy = array_push(&subset->rows);
	*copy = *row;
	copy_expression(subset, &copy->cfa, section);
	for (i = 0; i < ARRAY_SIZE(copy->at); i++)
		copy_expression(subset, &copy->at[i], section);
}

/* --- writing -------------------------------------------------------------- */

static void write_subset_place(
	const struct cfi_place *place, unsigned n, struct strbuf *out)
{
	strbuf_put_u8(out, (uint8_t)n);
	strbuf_put_u8(out, (uint8_t)place->where);
	strbuf_put_u16(out, 0);
	strbuf_put_u32(out, place->n);
	strbuf_put_u32(out, (uint32_t)place->offset);
}

void cfi_subset_write(const struct cfi_subset *subset, struct strbuf *out)
{
	uint64_t at = subset->rules.n ? subset->rules.at[0].start : 0;

	strbuf_put_u32(out, (uint32_t)subset->rules.n);
	strbuf_put_u32(out, (uint32_t)subset->rows.n);
	strbuf_put_u32(out, (uint32_t)subset->expressions.n);
	strbuf_put_u32(out, 0);
	strbuf_put_u64(out, at);
	/*
	 * Write all distances first and then all rules, because two arrays
	 * compress better than mixed elements.
	 */
	array_each(&subset->rules, entry) {
		strbuf_put_u32(out, (uint32_t)(entry->start - at));
		at = entry->start;
	}
	array_each(&subset->rules, entry)
		strbuf_put_u32(out, entry->rule);
	array_each(&subset->rows, row) {
		uint8_t n_places = 1;
		unsigned i;

		for (i = 0; i < ARRAY_SIZE(row->at); i++)
			n_places += row->at[i].where != CFI_UNSPECIFIED;
		strbuf_put_u64(out, row->start);
		strbuf_put_u64(out, row->end);
		strbuf_put_u8(out, row->is_signal);
		strbuf_put_u8(out, n_places);
		strbuf_fill(out, 0, ROW_FIXED - 18);
		write_subset_place(&row->cfa, PLACE_CFA, out);
		for (i = 0; i < ARRAY_SIZE(row->at); i++)
			if (row->at[i].where != CFI_UNSPECIFIED)
				write_subset_place(&row->at[i], i, out);
	}
	strbuf_put(out, subset->expressions.at, subset->expressions.n);
}

/* --- reading -------------------------------------------------------------- */

static bool read_subset_rules(
	struct bytes *b, uint32_t n, struct cfi_subset *subset)
{
	uint64_t at = bytes_u64(b);
	uint32_t i;

	if (!b->ok || n > bytes_left(b) / RULE_SIZE)
		return false;
	for (i = 0; i < n; i++) {
		uint32_t distance = bytes_u32(b);

		if (__builtin_add_overflow(at, distance, &at) ||
			(i && !distance))
			return false;
		array_push(&subset->rules)->start = at;
	}
	for (i = 0; i < n; i++)
		subset->rules.at[i].rule = bytes_u32(b);
	return b->ok;
}

static bool read_subset_place(
	struct bytes *b, uint32_t expressions, struct cfi_row *row)
{
	uint8_t n = bytes_u8(b), where = bytes_u8(b);
	struct cfi_place place = { .where = where & 15u };
	uint32_t size, offset;

	bytes_u16(b);
	size = bytes_u32(b);
	offset = bytes_u32(b);
	if (!b->ok || where > CFI_IS_RESULT || size > CFI_PLACE_N_MAX)
		return false;
	place.n = size & CFI_PLACE_N_MAX;
	place.offset = (int32_t)offset;
	if (has_cfi_expression(&place) &&
		(size > expressions || offset > expressions - size))
		return false;
	if (n == PLACE_CFA)
		row->cfa = place;
	else if (n < UNWIND_REGISTERS)
		row->at[n] = place;
	return n == PLACE_CFA || n < UNWIND_REGISTERS;
}

static bool read_subset_row(
	struct bytes *b, uint32_t expressions, struct cfi_row *row)
{
	uint8_t n;

	row->start = bytes_u64(b);
	row->end = bytes_u64(b);
	row->is_signal = bytes_u8(b);
	n = bytes_u8(b);
	bytes_take(b, ROW_FIXED - 18);
	for (; n; n--)
		if (!read_subset_place(b, expressions, row))
			return false;
	return b->ok && row->start < row->end;
}

static bool read_subset_rows(struct bytes *b, uint32_t n, uint32_t expressions,
	struct cfi_subset *subset)
{
	uint64_t last = 0;
	uint32_t i;

	if (n > CFI_SUBSET_ROWS_MAX ||
		n > bytes_left(b) / (ROW_FIXED + PLACE_SIZE))
		return false;
	for (i = 0; i < n; i++) {
		struct cfi_row *row = array_push(&subset->rows);

		if (!read_subset_row(b, expressions, row) || row->start < last)
			return false;
		last = row->end;
	}
	return true;
}

uint64_t cfi_subset_room(struct bytes b)
{
	uint64_t n_rules = bytes_u32(&b), n_rows = bytes_u32(&b);

	return n_rules * sizeof(struct cfi_subset_rule) +
		n_rows * sizeof(struct cfi_row) + bytes_u32(&b);
}

bool cfi_subset_read(struct bytes *b, struct cfi_subset *ret)
{
	uint32_t n_rules = bytes_u32(b), n_rows = bytes_u32(b);
	uint32_t expressions = bytes_u32(b);
	const void *at;

	*ret = (struct cfi_subset){ 0 };
	bytes_u32(b);
	if (expressions > CFI_SECTION_MAX ||
		!read_subset_rules(b, n_rules, ret) ||
		!read_subset_rows(b, n_rows, expressions, ret))
		return false;
	at = bytes_take(b, expressions);
	if (at)
		strbuf_put(&ret->expressions, at, expressions);
	return b->ok;
}

uint64_t cfi_subset_cost(const struct cfi_subset *subset)
{
	size_t n = subset->rules.n;
	uint64_t span = n
		? subset->rules.at[n - 1].start - subset->rules.at[0].start
		: 0;

	return (MIN(span, CFI_SPAN_MAX) >> CFI_PAGE_SHIFT) * sizeof(uint32_t) +
		n * 2 * sizeof(uint32_t) + n * sizeof(struct cfi_subset_rule) +
		subset->rows.n * sizeof(struct cfi_row) + subset->expressions.n;
}
