/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/fuzz/mutate_records.h"

#include "common/perf/record.h"
#include "common/util/array.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/parts.h"

#define GROW_MAX 64u

struct dice dice_of(unsigned seed)
{
	struct dice dice = { UINT64_C(0x9e3779b97f4a7c15) * (seed + 1ull) | 1 };

	dice_below(&dice, 1);
	dice_below(&dice, 1);
	return dice;
}

/* xorshift64, Marsaglia */
size_t dice_below(struct dice *dice, size_t n)
{
	uint64_t x = dice->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	dice->state = x;
	return n ? (x >> 32) % n : 0;
}

/* Numbers at the edges of types, of addresses, and of dwell's limits. */
static uint64_t edge_number(struct dice *dice)
{
	static const uint64_t numbers[] = { 0, 1, 8, 20, 64, 127, 128, 255, 256,
		INT16_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, INT64_MAX,
		UINT64_MAX, KIB(1), KIB(64), MIB(1), GIB(1), GIB(4),
		UINT64_MAX / 8, UINT64_MAX / 16, UINT64_MAX / 24,
		UINT64_MAX - 127, UINT64_MAX - 511, UINT64_MAX - 4095,
		UINT64_C(0x400000), UINT64_C(0x7fffffffe000),
		UINT64_C(0xffffffff80000000), UINT64_C(0xffffffff81000000) };
	uint64_t number = numbers[dice_below(dice, ARRAY_SIZE(numbers))];

	return dice_below(dice, 3) ? number : number + dice_below(dice, 5) - 2;
}

/* Returns the place of a naturally aligned integer of WIDTH bytes. */
static size_t pick_place(size_t size, size_t width, struct dice *dice)
{
	return dice_below(dice, size / width) * width;
}

static void change_integer(struct strbuf *bytes, struct dice *dice)
{
	size_t width = (size_t)1 << dice_below(dice, 4), at, from;
	uint64_t value = 0;

	if (bytes->n < width)
		return;
	at = pick_place(bytes->n, width, dice);
	from = pick_place(bytes->n, width, dice);
	memcpy(&value, bytes->at + at, width);
	switch (dice_below(dice, 4)) {
	case 0: value = edge_number(dice); break;
	case 1: value += dice_below(dice, 33) - 16; break;
	case 2: value ^= UINT64_C(1) << dice_below(dice, 8 * width); break;
	default: memcpy(&value, bytes->at + from, width);
	}
	memcpy(bytes->at + at, &value, width);
}

void mutate_bytes(struct strbuf *bytes, size_t room, struct dice *dice)
{
	size_t size = bytes->n;

	if (dice_below(dice, 2)) {
		change_integer(bytes, dice);
		return;
	}
	strbuf_fill(bytes, 0, room);
	if (!bytes->n)
		return;
	bytes->n = LLVMFuzzerMutate((uint8_t *)bytes->at, size, bytes->n);
}

/* --- records -------------------------------------------------------------- */

/* A run of records as a list of them. */
struct run_record {
	size_t at, size;
};

struct run {
	ARRAY(struct run_record) records;
};

static void list_records(const struct strbuf *records, struct run *ret)
{
	struct bytes b = bytes_of(records->at, records->n, false);
	size_t size;

	memset(ret, 0, sizeof(*ret));
	while ((size = parts_record_span(b.at, bytes_left(&b)))) {
		struct run_record *record = array_push(&ret->records);

		record->at = records->n - bytes_left(&b);
		record->size = size;
		bytes_take(&b, size);
	}
}

/* Replaces the OLD bytes at AT by NEW. */
static void replace_bytes(
	struct strbuf *bytes, size_t at, size_t old, const struct strbuf *new)
{
	struct strbuf all = { 0 };

	strbuf_put(&all, bytes->at, at);
	strbuf_put(&all, new->at, new->n);
	strbuf_put(&all, bytes->at + at + old, bytes->n - at - old);
	strbuf_free(bytes);
	*bytes = all;
}

/* Changes the payload of RECORD, and its size field where its size changes. */
static void change_payload(struct strbuf *record, struct dice *dice)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 }, whole = { 0 };
	struct record before;
	uint16_t size;

	if (!record_at((const uint8_t *)record->at, record->n, false, &before))
		return;
	strbuf_put(&payload, record->at + RECORD_HEADER_SIZE,
		before.size - RECORD_HEADER_SIZE);
	mutate_bytes(&payload, GROW_MAX, dice);
	strbuf_align(&payload, 8);
	size = (uint16_t)MIN(
		payload.n + RECORD_HEADER_SIZE, (size_t)RECORD_SIZE_ALIGNED);
	strbuf_put_u32(&whole, before.type);
	strbuf_put_u16(&whole, before.misc);
	strbuf_put_u16(&whole, size);
	strbuf_put(&whole, payload.at, size - RECORD_HEADER_SIZE);
	replace_bytes(record, 0, before.size, &whole);
}

static void change_header(struct strbuf *record, struct dice *dice)
{
	uint32_t type = 1 + (uint32_t)dice_below(dice, RECORD_END + 2);
	uint16_t misc;

	/* These are followed by bytes that the size does not count. */
	if (type == RECORD_HEADER_TRACING_DATA || type == RECORD_AUXTRACE)
		return;
	if (dice_below(dice, 2)) {
		memcpy(record->at, &type, sizeof(type));
		return;
	}
	memcpy(&misc, record->at + 4, sizeof(misc));
	misc ^= (uint16_t)(1u << dice_below(dice, 16));
	memcpy(record->at + 4, &misc, sizeof(misc));
}

void mutate_records(struct strbuf *records, struct dice *dice)
{
	_cleanup_strbuf_ struct strbuf record = { 0 };
	struct run run;
	struct run_record *from, *to;

	list_records(records, &run);
	if (!run.records.n)
		return;
	from = &run.records.at[dice_below(dice, run.records.n)];
	to = &run.records.at[dice_below(dice, run.records.n)];
	strbuf_put(&record, records->at + from->at, from->size);
	switch (dice_below(dice, 10)) {
	case 0: /* delete */
		strbuf_clear(&record);
		replace_bytes(records, from->at, from->size, &record);
		break;
	case 1: /* copy to another place */
		replace_bytes(records, to->at, 0, &record);
		break;
	case 2: /* overwrite another one */
		replace_bytes(records, to->at, to->size, &record);
		break;
	case 3:
		change_header(&record, dice);
		replace_bytes(records, from->at, from->size, &record);
		break;
	default:
		change_payload(&record, dice);
		replace_bytes(records, from->at, from->size, &record);
	}
	array_free(&run.records);
}
