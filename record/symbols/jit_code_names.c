/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/symbols/jit_code_names.h"

#define CODE_SIZE_MAX (UINT64_C(1) << 40)

void codes_deinit(struct codes *codes)
{
	array_free(&codes->places);
	array_free(&codes->last);
	array_free(&codes->list);
	strbuf_free(&codes->names);
	jit_process_deinit(&codes->found);
}

static void add_sampled_address(struct codes *codes, uint64_t place)
{
	*array_push(&codes->places) = place;
	array_push(&codes->last);
}

void codes_add_address(struct codes *codes, uint64_t address)
{
	size_t n = codes->places.n;

	if (address && (!n || codes->places.at[n - 1] < address - 1))
		add_sampled_address(codes, address - 1);
	add_sampled_address(codes, address);
}

/* Returns the index of the first place at or above ADDRESS. */
static size_t find_first_place(const struct codes *codes, uint64_t address)
{
	return array_count_before(&codes->places, place, *place < address);
}

static bool has_sampled_address(
	const struct codes *codes, uint64_t start, uint64_t end)
{
	size_t i = find_first_place(codes, start);

	return end - start <= CODE_SIZE_MAX && i < codes->places.n &&
		codes->places.at[i] < end;
}

bool codes_add(struct codes *codes, const struct code *new, const char *name)
{
	struct code *code;

	if (codes->list.n >= CODES_MAX)
		return false;
	if (!has_sampled_address(codes, new->start, new->end))
		return true;
	code = array_push(&codes->list);
	*code = *new;
	code->order = codes->list.n - 1;
	code->name = codes->names.n;
	strbuf_put(&codes->names, name, strlen(name) + 1);
	return true;
}

static const char *code_name(const struct codes *codes, const struct code *code)
{
	return codes->names.at + code->name;
}

static void emit_code(struct codes *codes, const struct code *code,
	struct jit_symbol symbol, const char *name)
{
	if (!*name)
		return;
	symbol.start = code->start;
	symbol.size = code->end - code->start;
	jit_process_add(&codes->found, &symbol, name);
}

static void set_last_code(struct codes *codes, const struct code *code)
{
	size_t i = find_first_place(codes, code->start);

	for (; i < codes->places.n && codes->places.at[i] < code->end; i++) {
		codes->last.at[i] = code->order + 1;
		codes->work++;
	}
}

void codes_find_last(struct codes *codes)
{
	array_each(&codes->list, code)
		if (codes->work < CODES_WORK_MAX)
			set_last_code(codes, code);
}

static const struct code *last_code_at(const struct codes *codes, size_t place)
{
	if (place >= codes->places.n || !codes->last.at[place])
		return NULL;
	return &codes->list.at[codes->last.at[place] - 1];
}

/* If codes overlap, the older one is cut. */
void codes_emit_last(struct codes *codes, enum jit_source source)
{
	const struct jit_symbol symbol = { .source = source };
	const struct code *before = NULL;
	struct code cut = { 0 };
	uint64_t from;
	size_t i;

	for (i = 0; i <= codes->places.n; i++) {
		const struct code *code = last_code_at(codes, i);

		if (code == before)
			continue;
		if (before && code && code->order > before->order)
			cut.end = MIN(cut.end, code->start);
		if (before)
			emit_code(
				codes, &cut, symbol, code_name(codes, before));
		from = cut.end;
		if (code)
			cut = *code;
		cut.start = MAX(cut.start, from);
		before = code;
	}
}

void codes_remove_covered(struct codes *codes)
{
	size_t n = 0, i;

	for (i = 0; i < codes->places.n; i++)
		if (!codes->last.at[i])
			codes->places.at[n++] = codes->places.at[i];
	codes->places.n = n;
	memset(codes->last.at, 0, n * sizeof(*codes->last.at));
	array_clear(&codes->list);
}

static int compare_code_start(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->order, right->order);
}

static bool is_same_code(
	const struct codes *codes, const struct code *a, const struct code *b)
{
	return a->start == b->start && a->end == b->end &&
		string_is(code_name(codes, a), code_name(codes, b));
}

/*
 * Marks codes that share addresses. Codes are sorted by start; repeated
 * identical codes are removed.
 */
static void mark_shared_codes(struct codes *codes)
{
	struct code *at = codes->list.at;
	size_t n = 0, widest = 0, i;

	for (i = 0; i < codes->list.n; i++) {
		if (n && is_same_code(codes, &at[i], &at[n - 1]))
			continue;
		at[n] = at[i];
		if (n && at[widest].end > at[n].start)
			at[n].is_timed = at[widest].is_timed = true;
		if (at[n].end > at[widest].end)
			widest = n;
		n++;
	}
	codes->list.n = n;
}

void codes_emit_timed(struct codes *codes)
{
	uint64_t place = 0;

	array_sort(&codes->list, compare_code_start);
	mark_shared_codes(codes);
	array_each(&codes->list, code) {
		struct jit_symbol symbol = { .source = JIT_DUMP };

		if (code->is_timed) {
			symbol.since = MAX(code->time, UINT64_C(1));
			symbol.place = place;
			place += code->end - code->start;
		}
		code->order = (size_t)(code - codes->list.at);
		emit_code(codes, code, symbol, code_name(codes, code));
	}
}
