/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/frame_pointer_chain.h"

#define MAGIC "dwell fp"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)

size_t frame_pointer_chain_size(uint64_t n)
{
	return MAGIC_SIZE + sizeof(uint64_t) * n;
}

uint8_t *frame_pointer_chain_put(
	uint8_t *at, const uint8_t *entries, uint64_t n)
{
	memcpy(at, MAGIC, MAGIC_SIZE);
	memcpy(at + MAGIC_SIZE, entries, sizeof(uint64_t) * n);
	return at + frame_pointer_chain_size(n);
}

/* Returns the entries, *N_RET of them, or NULL if SAMPLE has none. */
static const uint8_t *find_stored_chain(
	const struct sample *sample, uint64_t *n_ret)
{
	uint64_t filled = ALIGN_UP(sample->stack_size, sizeof(uint64_t));
	uint64_t room = sample->stack_room;

	if (!sample->stack || room < filled + MAGIC_SIZE ||
		memcmp(sample->stack + filled, MAGIC, MAGIC_SIZE) != 0)
		return NULL;
	*n_ret = (room - filled - MAGIC_SIZE) / sizeof(uint64_t);
	return sample->stack + filled + MAGIC_SIZE;
}

void frame_pointer_chain_join(struct sample *sample, uint64_t *out, size_t room)
{
	uint64_t n, kernel = sample->n_chain, i;
	const uint8_t *entries = find_stored_chain(sample, &n);

	if (!entries || n > room || kernel > room - n ||
		room - n - kernel < 1)
		return;
	for (i = 0; i < kernel; i++) {
		out[i] = sample_chain_entry(sample, i);
		/* The sample has its user part in the usual place. */
		if (out[i] == PERF_CONTEXT_USER)
			return;
	}
	out[kernel] = PERF_CONTEXT_USER;
	memcpy(out + kernel + 1, entries, sizeof(uint64_t) * n);
	sample->chain = (const uint8_t *)out;
	sample->n_chain = kernel + 1 + n;
}
