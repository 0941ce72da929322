/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/dso_rules.h"

#include "common/file/reader.h"
#include "common/unwind/cfi_subset.h"
#include "common/util/address_ranges.h"
#include "common/util/budget.h"

#define HEAD_SIZE 8u
#define PART_SIZE 24u
/* Approximate memory of a struct cfi without its rules, in bytes. */
#define PIECE_COST KIB(1)

void dso_rules_deinit(struct dso_rules *rules)
{
	array_each(&rules->cfis, cfi)
		cfi_destroy(*cfi);
	array_free(&rules->cfis);
	array_free(&rules->parts);
}

/* Pages that two segments share belong to the first one. */
void dso_rules_add(struct dso_rules *rules, struct cfi *cfi,
	const struct elf_segment *segments, size_t n)
{
	struct address_ranges own = { 0 };
	size_t i;

	*array_push(&rules->cfis) = cfi;
	for (i = 0; i < n; i++)
		if (segments[i].start < segments[i].end)
			*array_push(&own.ranges) =
				(struct address_range){ segments[i].start,
					segments[i].end, n - i };
	address_ranges_flatten(&own);
	array_each(&own.ranges, range)
		*array_push(&rules->parts) = (struct dso_rules_part){
			{ range->start, range->end,
				segments[n - range->number].delta },
			(uint32_t)rules->cfis.n - 1
		};
	address_ranges_free(&own);
}

bool dso_rules_have_same_parts(
	const struct dso_rules *left, const struct dso_rules *right)
{
	size_t i;

	if (left->cfis.n != 1 || right->cfis.n != 1 ||
		left->parts.n != right->parts.n)
		return false;
	for (i = 0; i < left->parts.n; i++) {
		const struct elf_segment *a = &left->parts.at[i].code;
		const struct elf_segment *b = &right->parts.at[i].code;

		if (a->start != b->start || a->end != b->end ||
			a->delta != b->delta)
			return false;
	}
	return true;
}

struct dso_rules_answer dso_rules_find(
	const struct dso_rules *rules, uint64_t offset)
{
	size_t n =
		array_count_before(&rules->parts, x, x->code.start <= offset);
	const struct dso_rules_part *part = n ? &rules->parts.at[n - 1] : NULL;
	struct dso_rules_answer answer = { .end = UINT64_MAX };

	if (part && offset < part->code.end)
		return (struct dso_rules_answer){ part->code.start,
			part->code.end, part->code.delta,
			rules->cfis.at[part->cfi] };
	if (part)
		answer.start = part->code.end;
	if (n < rules->parts.n)
		answer.end = rules->parts.at[n].code.start;
	return answer;
}

/*
 * --- serialization ---------------------------------------------------------
 */

void dso_rules_begin(struct strbuf *out)
{
	strbuf_put_u32(out, HEAD_SIZE);
	strbuf_put_u32(out, 0);
}

void dso_rules_put_piece(const struct cfi *cfi,
	const struct elf_segment *segments, size_t n, struct strbuf *out)
{
	struct cfi_subset answers;
	size_t i;

	strbuf_put_u32(out, (uint32_t)n);
	strbuf_put_u32(out, 0);
	for (i = 0; i < n; i++) {
		strbuf_put_u64(out, segments[i].start);
		strbuf_put_u64(out, segments[i].end);
		strbuf_put_u64(out, segments[i].delta);
	}
	cfi_lookups_subset(cfi, &answers);
	cfi_subset_write(&answers, out);
	cfi_subset_deinit(&answers);
	/* The head has the size, and the number of pieces. */
	uint32_t head[2];

	memcpy(head, out->at, sizeof(head));
	head[0] = (uint32_t)out->n;
	head[1]++;
	memcpy(out->at, head, sizeof(head));
}

static int compare_parts_by_cfi(const void *a, const void *b)
{
	const struct dso_rules_part *left = a, *right = b;

	if (left->cfi != right->cfi)
		return COMPARE(left->cfi, right->cfi);
	return COMPARE(left->code.start, right->code.start);
}

void dso_rules_put(const struct dso_rules *rules, struct strbuf *out)
{
	ARRAY(struct dso_rules_part) parts = { 0 };
	ARRAY(struct elf_segment) own = { 0 };
	size_t at = 0, i;

	array_each(&rules->parts, part)
		*array_push(&parts) = *part;
	array_sort(&parts, compare_parts_by_cfi);
	dso_rules_begin(out);
	for (i = 0; i < rules->cfis.n; i++) {
		array_clear(&own);
		for (; at < parts.n && parts.at[at].cfi == i; at++)
			*array_push(&own) = parts.at[at].code;
		dso_rules_put_piece(rules->cfis.at[i], own.at, own.n, out);
	}
	array_free(&parts);
	array_free(&own);
}

static bool read_rules_parts(struct bytes *b, struct dso_rules *rules)
{
	uint32_t n = bytes_u32(b), i;

	bytes_u32(b);
	if (!b->ok || n > bytes_left(b) / PART_SIZE)
		return false;
	for (i = 0; i < n; i++) {
		struct dso_rules_part *part = array_push(&rules->parts);

		part->code.start = bytes_u64(b);
		part->code.end = bytes_u64(b);
		part->code.delta = bytes_u64(b);
		part->cfi = (uint32_t)rules->cfis.n;
	}
	return true;
}

/* The decompressed rules and tables of a hostile file can be very large. */
static bool read_rules_piece(
	struct bytes *b, struct budget *budget, struct dso_rules *rules)
{
	struct cfi_subset answers = { 0 };
	bool ok = read_rules_parts(b, rules);
	uint64_t room = cfi_subset_room(*b);

	ok = ok && budget_reserve(budget, room) &&
		cfi_subset_read(b, &answers) &&
		budget_reserve(
			budget, PIECE_COST + cfi_subset_cost(&answers) - room);

	if (ok)
		*array_push(&rules->cfis) = cfi_create_from_subset(&answers);
	cfi_subset_deinit(&answers);
	return ok;
}

static int compare_parts_by_start(const void *a, const void *b)
{
	const struct dso_rules_part *left = a, *right = b;

	return COMPARE(left->code.start, right->code.start);
}

bool dso_rules_have_valid_size(const void *piece, size_t size)
{
	uint32_t own;

	if (size < HEAD_SIZE)
		return false;
	memcpy(&own, piece, sizeof(own));
	return own == size;
}

bool dso_rules_take(
	const void *piece, struct budget *budget, struct dso_rules *ret)
{
	uint32_t size, n, i;
	uint64_t last = 0;
	struct bytes b;
	bool ok = true;

	memcpy(&size, piece, sizeof(size));
	b = bytes_of(piece, size, false);
	bytes_u32(&b);
	n = bytes_u32(&b);
	for (i = 0; ok && i < n; i++)
		ok = read_rules_piece(&b, budget, ret);
	/* The code ranges in .parts must not overlap. */
	array_sort(&ret->parts, compare_parts_by_start);
	array_each(&ret->parts, part) {
		ok = ok && part->code.start >= last &&
			part->code.start < part->code.end;
		last = part->code.end;
	}
	if (!ok)
		dso_rules_deinit(ret);
	return ok;
}

/* --- the rules of a jitdump -------------------------------------------- */

/*
 * A range of run-time addresses at a given time, and the offset of .start in
 * the DSO.
 */
struct address_stretch {
	uint64_t start, end, time, offset;
	const struct jitcode *only; /* write only rules of this JIT code; NULL:
	                             * of all JIT code */
};

/*
 * Writes the rules of all JIT codes in STRETCH: later codes may overlap a part
 * of an earlier one.
 */
static void put_code_stretch(struct jitcodes *codes,
	const struct address_stretch *stretch, struct strbuf *out)
{
	uint64_t at = stretch->start;

	while (at < stretch->end) {
		const struct jitcodes_part part =
			jitcodes_find(codes, at, stretch->time);

		uint64_t delta = stretch->start - stretch->offset;
		const struct elf_segment code = { at - delta,
			MIN(part.end, stretch->end) - delta, delta };

		if (part.code && part.code->cfi &&
			(!stretch->only || part.code == stretch->only))
			dso_rules_put_piece(part.code->cfi, &code, 1, out);
		if (part.end <= at)
			break;
		at = part.end;
	}
}

void dso_rules_put_jit(const struct jitdumps_code *jit, struct strbuf *out)
{
	struct jitcodes *codes = jit->dump->codes;
	size_t n, i;

	dso_rules_begin(out);
	if (jit->is_timed) {
		array_each(&jit->dump->places, place) {
			const struct jitcode *code = jitcodes_find(
				codes, place->address, place->since)
							     .code;

			if (code)
				put_code_stretch(codes,
					&(struct address_stretch){
						place->address, code->end,
						place->since, place->place,
						NULL },
					out);
		}
		return;
	}
	const struct jitcode *all = jitcodes_all(codes, &n);

	for (i = 0; i < n; i++)
		if (all[i].cfi)
			put_code_stretch(codes,
				&(struct address_stretch){ all[i].start,
					all[i].end, UINT64_MAX, all[i].start,
					&all[i] },
				out);
}
