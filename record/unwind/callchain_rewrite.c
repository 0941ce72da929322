/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/callchain_rewrite.h"

void plain_attr(struct perf_event_attr *attr, uint64_t kept)
{
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user &= kept;
	if (!attr->sample_regs_user)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
}

struct perf_event_attr plain_written(
	const struct selection *selection, const struct selected *event)
{
	struct perf_event_attr attr = event->attr;

	if (!selection->keeps_stacks)
		plain_attr(&attr, selection->kept_registers);
	return attr;
}

bool plain_is_needed(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return !selection->keeps_stacks;
	return false;
}

static size_t position(const struct plain *plain, const struct bytes *b)
{
	return plain->end - bytes_left(b);
}

/* RAW and BRANCH_STACK stand between call chain and registers. */
static void skip_between(const struct sample_layout *layout, struct bytes *b)
{
	uint64_t n;

	if (layout->type & PERF_SAMPLE_RAW)
		bytes_take(b, bytes_u32(b));
	if (!(layout->type & PERF_SAMPLE_BRANCH_STACK))
		return;
	n = bytes_u64(b);
	if (layout->branch_type & ABI_BRANCH_HW_INDEX)
		bytes_u64(b);
	n = MIN(n, (uint64_t)RECORD_SIZE_MAX);
	bytes_take(b, 24 * n);
	if (layout->branch_type & ABI_BRANCH_COUNTERS)
		bytes_take(b, 8 * n);
}

static void skip_registers(const struct sample_layout *layout, struct bytes *b)
{
	if (layout->type & PERF_SAMPLE_REGS_USER && bytes_u64(b))
		bytes_take(b, 8 * (size_t)layout->n_regs_user);
}

static void skip_stack(struct bytes *b)
{
	uint64_t size = bytes_u64(b);

	if (!size)
		return;
	bytes_take(b, MIN(size, (uint64_t)RECORD_SIZE_MAX));
	bytes_u64(b);
}

/* The user's part is behind its marker, up to another one. */
static void find_user(struct plain *plain)
{
	const struct sample *sample = &plain->sample;
	uint64_t i = 0;

	while (i < sample->n_chain &&
		sample_chain_entry(sample, i) != (uint64_t)PERF_CONTEXT_USER)
		i++;
	plain->n_kernel = i;
	plain->user = ++i;
	while (i < sample->n_chain &&
		sample_chain_entry(sample, i) < ABI_CONTEXT_FIRST)
		i++;
	plain->n_user = i < plain->user ? 0 : i - plain->user;
}

bool plain_read(const struct plain_event *event, const uint8_t *raw,
	struct plain *ret)
{
	const struct sample_layout *layout = &event->layout;
	struct record record;
	struct bytes b;

	memset(ret, 0, sizeof(*ret));
	if (!record_at(raw, RECORD_SIZE_MAX, false, &record) ||
		!(layout->type & PERF_SAMPLE_STACK_USER) ||
		!sample_read(layout, &record, &ret->sample) ||
		!ret->sample.chain)
		return false;
	ret->record = raw;
	ret->sampled = event->sampled;
	ret->kept = event->kept & event->sampled;
	ret->end = record.size;
	ret->chain = (size_t)(ret->sample.chain - raw) - 8;
	ret->chain_end = ret->chain + 8 + 8 * ret->sample.n_chain;
	b = bytes_of(raw + ret->chain_end, ret->end - ret->chain_end, false);
	skip_between(layout, &b);
	ret->registers = position(ret, &b);
	skip_registers(layout, &b);
	ret->stack = position(ret, &b);
	skip_stack(&b);
	ret->tail = position(ret, &b);
	find_user(ret);
	return b.ok;
}

/* Without an ABI there are none behind it. */
static size_t registers_size(const struct plain *plain)
{
	if (!plain->kept)
		return 0;
	return 8 + (plain->stack - plain->registers > 8
				   ? 8 * (size_t)__builtin_popcountll(
						 plain->kept)
				   : 0);
}

/* All that stays as it is, and the chain's count of entries. */
static size_t fixed_size(const struct plain *plain)
{
	return plain->chain + 8 + (plain->registers - plain->chain_end) +
		registers_size(plain) + (plain->end - plain->tail);
}

size_t plain_size(const struct plain *plain, size_t n)
{
	return fixed_size(plain) +
		8 * (plain->n_kernel + (n ? 1 + n : 0));
}

size_t plain_room(const struct plain *plain)
{
	size_t others = plain_size(plain, 1);

	return 1 + (RECORD_SIZE_ALIGNED - MIN(others, RECORD_SIZE_ALIGNED)) / 8;
}

static uint8_t *put(uint8_t *out, const void *data, size_t size)
{
	memcpy(out, data, size);
	return out + size;
}

static uint8_t *put_chain(const struct plain *plain, const uint64_t *addresses,
	size_t n, uint8_t *at)
{
	const uint64_t marker = (uint64_t)PERF_CONTEXT_USER;
	uint64_t sum = plain->n_kernel + (n ? 1 + n : 0);

	at = put(at, &sum, sizeof(sum));
	at = put(at, plain->sample.chain, 8 * plain->n_kernel);
	if (!n)
		return at;
	at = put(at, &marker, sizeof(marker));
	return put(at, addresses, 8 * n);
}

/* In the order of their bits. */
static uint8_t *put_registers(const struct plain *plain, uint8_t *at)
{
	const uint8_t *from = plain->record + plain->registers;
	uint64_t left = plain->sampled;

	if (!plain->kept)
		return at;
	at = put(at, from, 8);
	if (plain->stack - plain->registers <= 8)
		return at;
	for (; left; left &= left - 1) {
		from += 8;
		if (plain->kept & left & -left)
			at = put(at, from, 8);
	}
	return at;
}

void plain_write(const struct plain *plain, const uint64_t *addresses,
	size_t n, uint8_t *out)
{
	struct perf_event_header header;
	uint8_t *at = put(out, plain->record, plain->chain);

	at = put_chain(plain, addresses, n, at);
	at = put(at, plain->record + plain->chain_end,
		plain->registers - plain->chain_end);
	at = put_registers(plain, at);
	at = put(at, plain->record + plain->tail, plain->end - plain->tail);
	memcpy(&header, out, sizeof(header));
	header.size = (uint16_t)(at - out);
	memcpy(out, &header, sizeof(header));
}
