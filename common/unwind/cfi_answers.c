/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/unwind/cfi_answers.h"

#define RULE_SIZE 8u
#define ROW_FIXED 24u
#define PLACE_SIZE 12u
#define PLACE_CFA 0xffu /* in place of a register's number */

void cfi_answers_deinit(struct cfi_answers *answers)
{
	array_free(&answers->rules);
	array_free(&answers->rows);
	strbuf_free(&answers->expressions);
}

/* --- making ---------------------------------------------------------------- */

void cfi_answers_add_rule(struct cfi_answers *answers, uint64_t start,
	uint64_t end, uint32_t rule)
{
	size_t n = answers->rules.n;

	if (rule == CFI_NONE || start >= end)
		return;
	/* Where the last one ended. */
	if (n && answers->rules.at[n - 1].start == start)
		answers->rules.n--;
	*array_push(&answers->rules) = (struct cfi_answer){ start, rule };
	*array_push(&answers->rules) = (struct cfi_answer){ end, CFI_NONE };
}

static bool has_expression(const struct cfi_place *place)
{
	return place->where == CFI_AT_RESULT || place->where == CFI_IS_RESULT;
}

static uint64_t expressions_size(const struct cfi_row *row)
{
	uint64_t size = has_expression(&row->cfa) ? row->cfa.n : 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row->at); i++)
		size += has_expression(&row->at[i]) ? row->at[i].n : 0;
	return size;
}

static void take_expression(struct cfi_answers *answers,
	struct cfi_place *place, const struct cfi_section *section)
{
	size_t at = answers->expressions.n;

	if (!has_expression(place))
		return;
	strbuf_put(&answers->expressions, section->at + place->offset,
		place->n);
	place->offset = (int32_t)at;
}

void cfi_answers_add_row(struct cfi_answers *answers,
	const struct cfi_row *row, const struct cfi_section *section)
{
	struct cfi_row *copy;
	size_t i;

	if (answers->rows.n == CFI_ANSWERS_ROWS_MAX ||
		answers->expressions.n + expressions_size(row) >
			CFI_ANSWERS_EXPRESSIONS_MAX)
		return;
	copy = array_push(&answers->rows);
	*copy = *row;
	take_expression(answers, &copy->cfa, section);
	for (i = 0; i < ARRAY_SIZE(copy->at); i++)
		take_expression(answers, &copy->at[i], section);
}

/* --- writing --------------------------------------------------------------- */

static void write_place(
	const struct cfi_place *place, unsigned n, struct strbuf *out)
{
	strbuf_put_u8(out, (uint8_t)n);
	strbuf_put_u8(out, (uint8_t)place->where);
	strbuf_put_u16(out, 0);
	strbuf_put_u32(out, place->n);
	strbuf_put_u32(out, (uint32_t)place->offset);
}

static uint8_t count_places(const struct cfi_row *row)
{
	uint8_t n = 1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row->at); i++)
		n += row->at[i].where != CFI_UNSPECIFIED;
	return n;
}

static void write_row(const struct cfi_row *row, struct strbuf *out)
{
	unsigned i;

	strbuf_put_u64(out, row->start);
	strbuf_put_u64(out, row->end);
	strbuf_put_u8(out, row->is_signal);
	strbuf_put_u8(out, count_places(row));
	strbuf_fill(out, 0, ROW_FIXED - 18);
	write_place(&row->cfa, PLACE_CFA, out);
	for (i = 0; i < ARRAY_SIZE(row->at); i++)
		if (row->at[i].where != CFI_UNSPECIFIED)
			write_place(&row->at[i], i, out);
}

void cfi_answers_write(const struct cfi_answers *answers, struct strbuf *out)
{
	uint64_t at = answers->rules.n ? answers->rules.at[0].start : 0;

	strbuf_put_u32(out, (uint32_t)answers->rules.n);
	strbuf_put_u32(out, (uint32_t)answers->rows.n);
	strbuf_put_u32(out, (uint32_t)answers->expressions.n);
	strbuf_put_u32(out, 0);
	strbuf_put_u64(out, at);
	/* One after the other they compress better. */
	array_each(&answers->rules, answer) {
		strbuf_put_u32(out, (uint32_t)(answer->start - at));
		at = answer->start;
	}
	array_each(&answers->rules, answer)
		strbuf_put_u32(out, answer->rule);
	array_each(&answers->rows, row)
		write_row(row, out);
	strbuf_put(out, answers->expressions.at, answers->expressions.n);
}

/* --- reading --------------------------------------------------------------- */

static bool read_rules(
	struct bytes *b, uint32_t n, struct cfi_answers *answers)
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
		array_push(&answers->rules)->start = at;
	}
	for (i = 0; i < n; i++)
		answers->rules.at[i].rule = bytes_u32(b);
	return b->ok;
}

static bool read_place(
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
	if (has_expression(&place) &&
		(size > expressions || offset > expressions - size))
		return false;
	if (n == PLACE_CFA)
		row->cfa = place;
	else if (n < UNWIND_REGISTERS)
		row->at[n] = place;
	return n == PLACE_CFA || n < UNWIND_REGISTERS;
}

static bool read_row(
	struct bytes *b, uint32_t expressions, struct cfi_row *row)
{
	uint8_t n;

	row->start = bytes_u64(b);
	row->end = bytes_u64(b);
	row->is_signal = bytes_u8(b);
	n = bytes_u8(b);
	bytes_take(b, ROW_FIXED - 18);
	for (; n; n--)
		if (!read_place(b, expressions, row))
			return false;
	return b->ok && row->start < row->end;
}

static bool read_rows(struct bytes *b, uint32_t n, uint32_t expressions,
	struct cfi_answers *answers)
{
	uint64_t last = 0;
	uint32_t i;

	if (n > CFI_ANSWERS_ROWS_MAX ||
		n > bytes_left(b) / (ROW_FIXED + PLACE_SIZE))
		return false;
	for (i = 0; i < n; i++) {
		struct cfi_row *row = array_push(&answers->rows);

		if (!read_row(b, expressions, row) || row->start < last)
			return false;
		last = row->end;
	}
	return true;
}

uint64_t cfi_answers_room(struct bytes b)
{
	uint64_t n_rules = bytes_u32(&b), n_rows = bytes_u32(&b);

	return n_rules * sizeof(struct cfi_answer) +
		n_rows * sizeof(struct cfi_row) + bytes_u32(&b);
}

bool cfi_answers_read(struct bytes *b, struct cfi_answers *ret)
{
	uint32_t n_rules = bytes_u32(b), n_rows = bytes_u32(b);
	uint32_t expressions = bytes_u32(b);
	const void *at;

	*ret = (struct cfi_answers){ 0 };
	bytes_u32(b);
	if (expressions > CFI_SECTION_MAX || !read_rules(b, n_rules, ret) ||
		!read_rows(b, n_rows, expressions, ret))
		return false;
	at = bytes_take(b, expressions);
	if (at)
		strbuf_put(&ret->expressions, at, expressions);
	return b->ok;
}

uint64_t cfi_answers_cost(const struct cfi_answers *answers)
{
	size_t n = answers->rules.n;
	uint64_t span = n ? answers->rules.at[n - 1].start -
			answers->rules.at[0].start
			  : 0;

	return (MIN(span, CFI_SPAN_MAX) >> CFI_PAGE_SHIFT) * sizeof(uint32_t) +
		n * 2 * sizeof(uint32_t) + n * sizeof(struct cfi_answer) +
		answers->rows.n * sizeof(struct cfi_row) +
		answers->expressions.n;
}
