/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/chain_rewrite.h"

#include "record/bpf/chain_join.h"

void chain_rewrite_attr(struct perf_event_attr *attr, uint64_t kept)
{
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return;
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user &= kept;
	if (!attr->sample_regs_user)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
}

struct perf_event_attr chain_rewrite_written_attr(
	const struct selection *selection, const struct selection_event *event)
{
	struct perf_event_attr attr = event->attr;

	if (!selection->keeps_stacks)
		chain_rewrite_attr(&attr, selection->kept_registers);
	return attr;
}

bool chain_rewrite_is_needed(const struct selection *selection)
{
	array_each(&selection->events, event)
		if (event->attr.sample_type & PERF_SAMPLE_STACK_USER)
			return !selection->keeps_stacks;
	return false;
}

static size_t field_offset(
	const struct chain_rewrite *rewrite, const struct bytes *b)
{
	return rewrite->end - bytes_left(b);
}

/* The user part is between PERF_CONTEXT_USER and the next marker. */
static void find_user_part(struct chain_rewrite *rewrite)
{
	const struct sample *sample = &rewrite->sample;
	uint64_t i = 0;

	while (i < sample->n_chain &&
		sample_chain_entry(sample, i) != (uint64_t)PERF_CONTEXT_USER)
		i++;
	rewrite->n_kernel = i;
	rewrite->user = ++i;
	while (i < sample->n_chain &&
		sample_chain_entry(sample, i) < ABI_CONTEXT_FIRST)
		i++;
	rewrite->n_user = i < rewrite->user ? 0 : i - rewrite->user;
	/* Linked frames are behind the user part. */
	if (i >= sample->n_chain ||
		sample_chain_entry(sample, i) != CHAIN_LINKED_CONTEXT)
		return;
	rewrite->linked = sample->chain + 8 * (i + 1);
	rewrite->n_linked = (sample->n_chain - i - 1) / CHAIN_LINKED_WORDS;
}

bool chain_rewrite_read(const struct chain_rewrite_event *event,
	const uint8_t *raw, struct chain_rewrite *ret)
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
	ret->layout = layout;
	ret->sampled = event->sampled;
	ret->kept = event->kept & event->sampled;
	ret->end = record.size;
	ret->chain = (size_t)(ret->sample.chain - raw) - 8;
	ret->chain_end = ret->chain + 8 + 8 * ret->sample.n_chain;
	b = bytes_of(raw + ret->chain_end, ret->end - ret->chain_end, false);
	/* RAW and BRANCH_STACK are between the call chain and the registers. */
	uint64_t n;
	if (layout->type & PERF_SAMPLE_RAW)
		bytes_take(&b, bytes_u32(&b));
	if ((layout->type & PERF_SAMPLE_BRANCH_STACK)) {
		n = bytes_u64(&b);
		if (layout->branch_type & ABI_BRANCH_HW_INDEX)
			bytes_u64(&b);
		n = MIN(n, (uint64_t)RECORD_SIZE_MAX);
		bytes_take(&b, 24 * n);
		if (layout->branch_type & ABI_BRANCH_COUNTERS)
			bytes_take(&b, 8 * n);
	}
	ret->registers = field_offset(ret, &b);
	if (layout->type & PERF_SAMPLE_REGS_USER && bytes_u64(&b))
		bytes_take(&b, 8 * (size_t)layout->n_regs_user);
	ret->stack = field_offset(ret, &b);
	uint64_t size = bytes_u64(&b);
	if (size) {
		bytes_take(&b, MIN(size, (uint64_t)RECORD_SIZE_MAX));
		bytes_u64(&b);
	}
	ret->tail = field_offset(ret, &b);
	find_user_part(ret);
	return b.ok;
}

/*
 * Returns the bytes of ABI and kept registers. With ABI 0, no registers follow.
 */
static size_t kept_registers_size(const struct chain_rewrite *rewrite)
{
	if (!rewrite->kept)
		return 0;
	return 8 +
		(rewrite->stack - rewrite->registers > 8 ? 8 *
					(size_t)__builtin_popcountll(
						rewrite->kept)
							 : 0);
}

size_t chain_rewrite_size(const struct chain_rewrite *rewrite, size_t n)
{
	return rewrite->chain + 8 + (rewrite->registers - rewrite->chain_end) +
		kept_registers_size(rewrite) + (rewrite->end - rewrite->tail) +
		8 * (rewrite->n_kernel + (n ? 1 + n : 0));
}

size_t chain_rewrite_max_addresses(const struct chain_rewrite *rewrite)
{
	size_t others = chain_rewrite_size(rewrite, 1);

	return 1 + (RECORD_SIZE_ALIGNED - MIN(others, RECORD_SIZE_ALIGNED)) / 8;
}

static uint8_t *put_bytes_at(uint8_t *out, const void *data, size_t size)
{
	memcpy(out, data, size);
	return out + size;
}

void chain_rewrite_write(const struct chain_rewrite *rewrite,
	const uint64_t *addresses, size_t n, uint8_t *out)
{
	const uint64_t marker = (uint64_t)PERF_CONTEXT_USER;
	const uint64_t sum = rewrite->n_kernel + (n ? 1 + n : 0);
	const uint8_t *from = rewrite->record + rewrite->registers;
	uint64_t left = rewrite->sampled;
	struct perf_event_header header;
	uint8_t *at = put_bytes_at(out, rewrite->record, rewrite->chain);

	at = put_bytes_at(at, &sum, sizeof(sum));
	at = put_bytes_at(at, rewrite->sample.chain, 8 * rewrite->n_kernel);
	if (n) {
		at = put_bytes_at(at, &marker, sizeof(marker));
		at = put_bytes_at(at, addresses, 8 * n);
	}
	at = put_bytes_at(at, rewrite->record + rewrite->chain_end,
		rewrite->registers - rewrite->chain_end);
	/* The ABI and the kept registers, in the order of the bits in .kept. */
	if (rewrite->kept)
		at = put_bytes_at(at, from, 8);
	if (rewrite->stack - rewrite->registers <= 8)
		left = 0;
	for (; rewrite->kept && left; left &= left - 1) {
		from += 8;
		if (rewrite->kept & left & -left)
			at = put_bytes_at(at, from, 8);
	}
	at = put_bytes_at(at, rewrite->record + rewrite->tail,
		rewrite->end - rewrite->tail);
	memcpy(&header, out, sizeof(header));
	header.size = (uint16_t)(at - out);
	memcpy(out, &header, sizeof(header));
}

void chain_rewrite_set_ip(
	const struct chain_rewrite *rewrite, uint64_t ip, uint8_t *out)
{
	memcpy(out + rewrite->layout->ip, &ip, sizeof(ip));
}
