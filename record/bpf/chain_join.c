/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/bpf/chain_join.h"

#include "common/perf/userchain.h"
#include "common/util/alloc.h"

/* Offsets in a record: header, id, pid, tid, size of the raw data, raw data. */
#define PID_AT 16u
#define TID_AT 20u
#define RAW_SIZE_AT 24u
#define RAW_AT 28u

struct chain_join {
	struct chain_record stack;
	struct chain_copy copy;
	uint32_t tid;	     /* of .stack */
	uint32_t copied_tid; /* of .copy */
	bool has_stack, has_copy;
	uint64_t n_stacks;
	uint8_t out[RECORD_SIZE_MAX + 1];
};

struct chain_join *chain_join_create(void)
{
	return xcalloc(1, sizeof(struct chain_join));
}

void chain_join_destroy(struct chain_join *join)
{
	free(join);
}

static uint32_t load_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

bool chain_output_read(
	const struct perf_event_header *record, struct chain_output *ret)
{
	const uint8_t *at = (const uint8_t *)record;

	if (record->size < RAW_AT + sizeof(uint32_t))
		return false;
	ret->pid = load_u32(at + PID_AT);
	ret->tid = load_u32(at + TID_AT);
	ret->size = MIN(load_u32(at + RAW_SIZE_AT), record->size - RAW_AT);
	ret->raw = at + RAW_AT;
	ret->kind = load_u32(ret->raw);
	return ret->size >= sizeof(ret->kind);
}

#define STACK_HEAD ((uint32_t)offsetof(struct chain_record, pcs))

/*
 * Limits the numbers of a chain_record to the words in its SIZE bytes. Returns the number of
 * words behind the linked frames.
 */
static uint32_t limit_words(uint32_t size, uint32_t *n, uint32_t *n_linked)
{
	uint32_t words = (size - STACK_HEAD) / 8;

	*n = MIN(*n, words);
	words -= *n;
	*n_linked = MIN(*n_linked, words / CHAIN_LINKED_WORDS);
	return words - CHAIN_LINKED_WORDS * *n_linked;
}

bool chain_output_stack(
	const struct chain_output *output, struct chain_record *ret)
{
	uint32_t size = MIN(output->size, (uint32_t)sizeof(*ret)), words;

	if (size < STACK_HEAD)
		return false;
	memcpy(ret, output->raw, size);
	words = limit_words(size, &ret->n, &ret->n_linked);
	ret->n_kernel = MIN(ret->n_kernel, words);
	return true;
}

const uint8_t *chain_output_linked(
	const struct chain_output *output, size_t *n_ret)
{
	const uint8_t *raw = output->raw;
	uint32_t n, n_linked;

	*n_ret = 0;
	if (output->kind != CHAIN_STACK || output->size < STACK_HEAD)
		return NULL;
	n = load_u32(raw + offsetof(struct chain_record, n));
	n_linked = load_u32(raw + offsetof(struct chain_record, n_linked));
	limit_words(output->size, &n, &n_linked);
	*n_ret = n_linked;
	return raw + STACK_HEAD + 8 * n;
}

void chain_join_hold(struct chain_join *join, const struct chain_output *output)
{
	uint32_t size = output->size;

	if (output->kind == CHAIN_COPY) {
		join->has_copy = size >= offsetof(struct chain_copy, bytes);
		if (!join->has_copy)
			return;
		memcpy(&join->copy, output->raw, MIN(size, sizeof(join->copy)));
		join->copied_tid = output->tid;
		join->copy.size = MIN(join->copy.size,
			size - (uint32_t)offsetof(struct chain_copy, bytes));
	} else {
		join->n_stacks++;
		join->has_stack = chain_output_stack(output, &join->stack);
		join->tid = output->tid;
	}
}

bool chain_output_unknown(
	const struct chain_output *output, struct chain_unknown *ret)
{
	const uint8_t *raw = output->raw;
	uint32_t end;

	if (output->kind != CHAIN_STACK ||
		output->size < offsetof(struct chain_record, registers))
		return false;
	memcpy(&end, raw + offsetof(struct chain_record, end), sizeof(end));
	if (end != CHAIN_NO_TABLE)
		return false;
	*ret = (struct chain_unknown){ .pid = output->pid };
	memcpy(&ret->pc, raw + offsetof(struct chain_record, at),
		sizeof(ret->pc));
	memcpy(&ret->file, raw + offsetof(struct chain_record, file),
		sizeof(ret->file));
	return true;
}

uint64_t chain_join_stacks(const struct chain_join *join)
{
	return join->n_stacks;
}

/* Returns the word of chain_record.registers for BIT of sample_regs_user; -1: none. */
static int word_of_bit(unsigned bit)
{
#ifdef CHAIN_AARCH64
	/* The bits of PERF_REG_ARM64_* up to the pc have the order of the words. */
	return bit < CHAIN_REGISTERS - 1 ? (int)bit : -1;
#else
	/* By the bits of PERF_REG_X86_*. */
	static const int8_t words[] = { 10, 5, 11, 12, 13, 14, 4, 19, 16, 18,
		17, 20, -1, -1, -1, -1, 9, 8, 7, 6, 3, 2, 1, 0 };

	return bit < ARRAY_SIZE(words) ? words[bit] : -1;
#endif
}

static uint8_t *put_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static uint8_t *put_bytes(uint8_t *at, const void *data, size_t size)
{
	memcpy(at, data, size);
	return at + size;
}

uint8_t *chain_put_registers(const struct chain_record *stack,
	const struct chain_copy *copy, uint64_t registers, uint8_t *at)
{
	uint64_t size = copy ? ALIGN_UP(copy->size, 8) : 0;
	unsigned bit;

	if (!stack)
		return put_u64(put_u64(at, PERF_SAMPLE_REGS_ABI_NONE), 0);
	at = put_u64(at,
		CHAIN_IS_64_BIT(stack->registers) ? PERF_SAMPLE_REGS_ABI_64
						  : PERF_SAMPLE_REGS_ABI_32);
	for (bit = 0; bit < 64; bit++) {
		int word = word_of_bit(bit);

		if (registers >> bit & 1)
			at = put_u64(at, word < 0 ? 0 : stack->registers[word]);
	}
	at = put_u64(at, size);
	if (!size)
		return at;
	memset(at, 0, size);
	memcpy(at, copy->bytes, copy->size);
	return put_u64(at + size, copy->size);
}

/* What of the held stack a sample gets. */
enum joined_parts { JOIN_NOTHING, JOIN_CHAIN, JOIN_CHAIN_AND_COPY };

/* Returns the number of entries of a call chain that the linked frames need. */
static size_t linked_words(const struct chain_join *join)
{
	return join->stack.n_linked
		? 1 + CHAIN_LINKED_WORDS * (size_t)join->stack.n_linked
		: 0;
}

/* Returns the number of bytes that PARTS add to a sample. */
static size_t added_size(const struct chain_join *join, enum joined_parts parts,
	uint64_t registers)
{
	size_t words = 2, copied = 0; /* no registers, no copy */

	if (parts != JOIN_NOTHING)
		words += 1 + (size_t)join->stack.n + linked_words(join);
	if (parts == JOIN_CHAIN_AND_COPY) {
		words += (size_t)__builtin_popcountll(registers) +
			join->has_copy;
		copied = join->has_copy ? ALIGN_UP(join->copy.size, 8) : 0;
	}
	return sizeof(uint64_t) * words + copied;
}

bool chain_is_joined(const struct perf_event_attr *attr)
{
	bool is_counter = attr->type == PERF_TYPE_HARDWARE ||
		attr->type == PERF_TYPE_SOFTWARE ||
		attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;

	return is_counter && attr->sample_type & PERF_SAMPLE_STACK_USER &&
		!(attr->sample_type &
			(PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK));
}

struct perf_event_attr chain_kernel_attr(
	const struct perf_event_attr *attr, bool keeps_copies)
{
	struct perf_event_attr kernel = *attr;

	kernel.exclude_callchain_user = 1;
	if (keeps_copies)
		return kernel;
	kernel.sample_type &=
		~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	kernel.sample_regs_user = 0;
	kernel.sample_stack_user = 0;
	return kernel;
}

static uint8_t *put_chain(const struct chain_join *join,
	const struct sample *sample, enum joined_parts parts, uint8_t *at)
{
	size_t n = join->stack.n, n_linked = linked_words(join);

	at = put_u64(at,
		sample->n_chain +
			(parts == JOIN_NOTHING ? 0 : 1 + n + n_linked));
	at = put_bytes(at, sample->chain, sizeof(uint64_t) * sample->n_chain);
	if (parts == JOIN_NOTHING)
		return at;
	at = put_u64(at, PERF_CONTEXT_USER);
	at = put_bytes(at, join->stack.pcs, sizeof(uint64_t) * n);
	if (!n_linked)
		return at;
	at = put_u64(at, CHAIN_LINKED_CONTEXT);
	return put_bytes(
		at, join->stack.pcs + n, sizeof(uint64_t) * (n_linked - 1));
}

/* Returns whether SAMPLE has no room for PARTS. */
static bool is_too_large(const struct chain_join *join,
	const struct perf_event_header *sample, enum joined_parts parts,
	uint64_t registers)
{
	return sample->size + added_size(join, parts, registers) >
		RECORD_SIZE_ALIGNED;
}

/* Cuts the copy of the stack if SAMPLE has no room for it and the linked frames. */
static void make_room_for_linked(struct chain_join *join,
	const struct perf_event_header *sample, enum joined_parts parts,
	uint64_t registers)
{
	size_t size = sample->size + added_size(join, parts, registers);
	size_t excess = size > RECORD_SIZE_ALIGNED
		? ALIGN_UP(size - RECORD_SIZE_ALIGNED, 8)
		: 0;

	if (!excess || !join->stack.n_linked)
		return;
	if (join->has_copy && join->copy.size > excess + 8)
		join->copy.size = (join->copy.size - (uint32_t)excess) & ~7u;
	else
		join->stack.n_linked = 0;
}

const struct perf_event_header *chain_join_sample(struct chain_join *join,
	const struct sample_layout *layout, uint64_t registers,
	const struct perf_event_header *sample)
{
	const struct record record = { sample->type, sample->misc, sample->size,
		(const uint8_t *)sample, false };
	struct perf_event_header header = *sample;
	bool has_copies = layout->type & PERF_SAMPLE_STACK_USER;
	enum joined_parts parts;
	struct sample read;
	size_t head, chain_end;
	uint8_t *at = join->out;

	if (!sample_read(layout, &record, &read) || !read.chain)
		return NULL;
	if (!join->has_stack || join->tid != read.tid)
		parts = JOIN_NOTHING;
	else if (join->stack.end == CHAIN_ROOT)
		parts = JOIN_CHAIN;
	else
		parts = has_copies ? JOIN_NOTHING : JOIN_CHAIN_AND_COPY;
	join->has_copy &= join->copied_tid == read.tid;
	/* Other programs read samples with copies. */
	if (has_copies)
		join->stack.n_linked = 0;
	make_room_for_linked(join, sample, parts, registers);
	if (is_too_large(join, sample, parts, registers))
		parts = JOIN_NOTHING;
	if (is_too_large(join, sample, parts, registers))
		return has_copies ? sample : NULL;
	head = (size_t)(read.chain - record.data) - sizeof(uint64_t);
	chain_end = head + sizeof(uint64_t) * (1 + read.n_chain);
	at = put_bytes(at, sample, head);
	at = put_chain(join, &read, parts, at);
	if (parts == JOIN_CHAIN_AND_COPY) {
		at = chain_put_registers(&join->stack,
			join->has_copy ? &join->copy : NULL, registers, at);
	} else if (!has_copies) {
		at = chain_put_registers(NULL, NULL, registers, at);
	}
	at = put_bytes(at, record.data + chain_end, sample->size - chain_end);
	join->has_stack = join->has_copy = false;
	header.size = (uint16_t)(at - join->out);
	memcpy(join->out, &header, sizeof(header));
	return (const struct perf_event_header *)join->out;
}
