/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/stack_copy.h"

#include "common/perf/userchain.h"

/*
 * Fill levels of the queue from which stack copies are shortened, and removed.
 */
#define CUT_PERCENT 50u
#define REMOVE_PERCENT 75u

bool stack_copy_find(const struct sample_layout *layout,
	const struct perf_event_header *header, struct stack_copy *ret)
{
	const uint8_t *raw = (const uint8_t *)header;
	const struct record record = { header->type, header->misc, header->size,
		raw, false };
	struct sample *sample = &ret->sample;
	uint64_t reserved;

	if (!sample_read(layout, &record, sample) || !sample->stack)
		return false;
	memcpy(&reserved, sample->stack - sizeof(reserved), sizeof(reserved));
	ret->record = raw;
	ret->head = (size_t)(sample->stack - raw) - sizeof(reserved);
	ret->reserved = reserved;
	ret->filled = sample->stack_size;
	ret->tail = (size_t)(sample->stack - raw) + reserved + sizeof(uint64_t);
	ret->end = header->size;
	ret->n_user = 0;
	return true;
}

void stack_copy_move_chain(struct stack_copy *copy)
{
	const struct sample *sample = &copy->sample;
	uint64_t n = 0, i;

	while (n < sample->n_chain &&
		sample_chain_entry(sample, n) != PERF_CONTEXT_USER)
		n++;
	for (i = n + 1; i < sample->n_chain; i++)
		if (sample_chain_entry(sample, i) >= ABI_CONTEXT_FIRST)
			return;
	if (n + 1 >= sample->n_chain)
		return;
	copy->chain = (size_t)(sample->chain - copy->record) - sizeof(n);
	copy->n_kernel = n;
	copy->n_user = sample->n_chain - n - 1;
	copy->user = copy->chain + sizeof(n) * (2 + n);
}

static size_t kept_size(const struct stack_copy *copy, size_t kept)
{
	return ALIGN_UP(MIN(kept, copy->filled), sizeof(uint64_t));
}

/*
 * A sample with an empty stack copy has no field with the number of filled
 * bytes.
 */
size_t stack_copy_size_with(const struct stack_copy *copy, size_t kept)
{
	size_t size = kept_size(copy, kept);

	return copy->head + sizeof(uint64_t) + size +
		(size ? sizeof(uint64_t) : 0) + (copy->end - copy->tail);
}

static uint8_t *put_copy_bytes(uint8_t *out, const void *data, size_t size)
{
	memcpy(out, data, size);
	return out + size;
}

/*
 * Writes the part of the sample before the stack copy, without the user part of
 * the call chain. Returns the end of the output.
 */
static uint8_t *put_head_without_user(
	const struct stack_copy *copy, uint8_t *at)
{
	size_t behind = copy->user + sizeof(uint64_t) * copy->n_user;

	at = put_copy_bytes(at, copy->record, copy->chain);
	at = put_copy_bytes(at, &copy->n_kernel, sizeof(copy->n_kernel));
	at = put_copy_bytes(at, copy->record + copy->chain + sizeof(uint64_t),
		sizeof(uint64_t) * copy->n_kernel);
	return put_copy_bytes(at, copy->record + behind, copy->head - behind);
}

void stack_copy_write(const struct stack_copy *copy, size_t kept, uint8_t *out)
{
	struct perf_event_header header;
	uint64_t filled = MIN(kept, copy->filled);
	uint64_t size = kept_size(copy, kept), room = size;
	bool moves_chain = size && copy->n_user;
	uint8_t *at = moves_chain
		? put_head_without_user(copy, out)
		: put_copy_bytes(out, copy->record, copy->head);

	if (moves_chain)
		room += userchain_frames_size(copy->n_user);
	at = put_copy_bytes(at, &room, sizeof(room));
	at = put_copy_bytes(at, copy->record + copy->head + sizeof(size), size);
	if (moves_chain)
		at = userchain_frames_put(
			at, copy->record + copy->user, copy->n_user);
	if (size)
		at = put_copy_bytes(at, &filled, sizeof(filled));
	put_copy_bytes(at, copy->record + copy->tail, copy->end - copy->tail);
	memcpy(&header, out, sizeof(header));
	header.size = (uint16_t)stack_copy_size_with(copy, kept);
	memcpy(out, &header, sizeof(header));
}

size_t stack_copy_kept(unsigned fill_percent)
{
	if (fill_percent >= REMOVE_PERCENT)
		return 0;
	return fill_percent >= CUT_PERCENT ? STACK_COPY_CUT : SIZE_MAX;
}
