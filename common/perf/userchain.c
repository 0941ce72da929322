/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/perf/userchain.h"

#define WORD sizeof(uint64_t)

bool userchain_read(const struct record *record, struct userchain *ret)
{
	struct bytes b = record_payload(record);

	ret->cookie = bytes_u64(&b);
	ret->n = bytes_u64(&b);
	if (!b.ok || ret->n > bytes_left(&b) / WORD)
		return false;
	ret->entries = bytes_take(&b, ret->n * WORD);
	return true;
}

static uint64_t load_chain_word(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/*
 * Writes the entries of CHAIN that fit in ROOM bytes to OUT. Returns the number
 * of bytes written.
 */
static size_t put_userchain(
	const struct userchain *chain, size_t room, uint8_t *out)
{
	uint64_t marker = PERF_CONTEXT_USER;
	size_t used = 0, n;

	if (!chain || !chain->n)
		return 0;
	/* Add PERF_CONTEXT_USER, which later kernels omit. */
	if (load_chain_word(chain->entries) < ABI_CONTEXT_FIRST) {
		memcpy(out, &marker, WORD);
		used = WORD;
	}
	n = MIN((size_t)chain->n, (room - used) / WORD);
	memcpy(out + used, chain->entries, n * WORD);
	return used + n * WORD;
}

uint16_t userchain_join(const uint8_t *sample, size_t size, size_t count_at,
	const struct userchain *chain, uint8_t out[RECORD_SIZE_ALIGNED])
{
	uint64_t n_old = load_chain_word(sample + count_at), n_new;
	size_t words = count_at + WORD;
	size_t end = words + (n_old - USERCHAIN_MARK_WORDS) * WORD;
	size_t rest_at = words + n_old * WORD, rest = size - rest_at;
	struct perf_event_header header;

	memcpy(out, sample, end);
	/*
	 * An added PERF_CONTEXT_USER always fits: the removed mark and cookie
	 * are larger.
	 */
	end += put_userchain(
		chain, RECORD_SIZE_ALIGNED - end - rest, out + end);
	n_new = (end - words) / WORD;
	memcpy(out + count_at, &n_new, WORD);
	memcpy(out + end, sample + rest_at, rest);
	memcpy(&header, out, sizeof(header));
	header.size = (uint16_t)(end + rest);
	memcpy(out, &header, sizeof(header));
	return header.size;
}

#define MAGIC "dwell fp"
#define MAGIC_SIZE (sizeof(MAGIC) - 1)

size_t userchain_frames_size(uint64_t n)
{
	return MAGIC_SIZE + sizeof(uint64_t) * n;
}

uint8_t *userchain_frames_put(uint8_t *at, const uint8_t *entries, uint64_t n)
{
	memcpy(at, MAGIC, MAGIC_SIZE);
	memcpy(at + MAGIC_SIZE, entries, sizeof(uint64_t) * n);
	return at + userchain_frames_size(n);
}

/*
 * Returns the *N_RET entries of the frame-pointer chain behind SAMPLE's stack
 * copy, or NULL if SAMPLE has no such chain.
 */
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

void userchain_frames_join(struct sample *sample, uint64_t *out, size_t room)
{
	uint64_t n, kernel = sample->n_chain, i;
	const uint8_t *entries = find_stored_chain(sample, &n);

	if (!entries || n > room || kernel > room - n || room - n - kernel < 1)
		return;
	for (i = 0; i < kernel; i++) {
		out[i] = sample_chain_entry(sample, i);
		/* SAMPLE's own call chain already has a user part. */
		if (out[i] == PERF_CONTEXT_USER)
			return;
	}
	out[kernel] = PERF_CONTEXT_USER;
	memcpy(out + kernel + 1, entries, sizeof(uint64_t) * n);
	sample->chain = (const uint8_t *)out;
	sample->n_chain = kernel + 1 + n;
}
