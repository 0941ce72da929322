/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event/stack_copy.h"

#include "common/perf/frame_pointer_chain.h"

/* So much of the queue is full when copies are cut, and when left out. */
#define CUT_PERCENT 50u
#define NONE_PERCENT 75u

bool dump_find(const struct sample_layout *layout,
	const struct perf_event_header *header, struct dump *ret)
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

void dump_set_aside(struct dump *dump)
{
	const struct sample *sample = &dump->sample;
	uint64_t n = 0, i;

	while (n < sample->n_chain &&
		sample_chain_entry(sample, n) != PERF_CONTEXT_USER)
		n++;
	for (i = n + 1; i < sample->n_chain; i++)
		if (sample_chain_entry(sample, i) >= ABI_CONTEXT_FIRST)
			return;
	if (n + 1 >= sample->n_chain)
		return;
	dump->chain = (size_t)(sample->chain - dump->record) - sizeof(n);
	dump->n_kernel = n;
	dump->n_user = sample->n_chain - n - 1;
	dump->user = dump->chain + sizeof(n) * (2 + n);
}

static size_t words_of(const struct dump *dump, size_t kept)
{
	return ALIGN_UP(MIN(kept, dump->filled), sizeof(uint64_t));
}

/* A copy of nothing has no count of what it holds. */
size_t dump_size_with(const struct dump *dump, size_t kept)
{
	size_t size = words_of(dump, kept);

	return dump->head + sizeof(uint64_t) + size +
		(size ? sizeof(uint64_t) : 0) + (dump->end - dump->tail);
}

static uint8_t *put(uint8_t *out, const void *data, size_t size)
{
	memcpy(out, data, size);
	return out + size;
}

/* All before the copy, without what stands aside. */
static uint8_t *put_head(const struct dump *dump, uint8_t *at)
{
	size_t behind = dump->user + sizeof(uint64_t) * dump->n_user;

	at = put(at, dump->record, dump->chain);
	at = put(at, &dump->n_kernel, sizeof(dump->n_kernel));
	at = put(at, dump->record + dump->chain + sizeof(uint64_t),
		sizeof(uint64_t) * dump->n_kernel);
	return put(at, dump->record + behind, dump->head - behind);
}

void dump_write(const struct dump *dump, size_t kept, uint8_t *out)
{
	struct perf_event_header header;
	uint64_t filled = MIN(kept, dump->filled);
	uint64_t size = words_of(dump, kept), room = size;
	bool is_aside = size && dump->n_user;
	uint8_t *at = is_aside ? put_head(dump, out)
			       : put(out, dump->record, dump->head);

	if (is_aside)
		room += aside_size(dump->n_user);
	at = put(at, &room, sizeof(room));
	at = put(at, dump->record + dump->head + sizeof(size), size);
	if (is_aside)
		at = aside_put(at, dump->record + dump->user, dump->n_user);
	if (size)
		at = put(at, &filled, sizeof(filled));
	put(at, dump->record + dump->tail, dump->end - dump->tail);
	memcpy(&header, out, sizeof(header));
	header.size = (uint16_t)dump_size_with(dump, kept);
	memcpy(out, &header, sizeof(header));
}

size_t dump_kept(unsigned fill_percent)
{
	if (fill_percent >= NONE_PERCENT)
		return 0;
	return fill_percent >= CUT_PERCENT ? DUMP_CUT_SIZE : SIZE_MAX;
}
