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
 * of bytes.
 */
static size_t put_userchain(
	const struct userchain *chain, size_t room, uint8_t *out)
{
	uint64_t marker = PERF_CONTEXT_USER;
	size_t used = 0, n;

	if (!chain || !chain->n)
		return 0;
	/* Later kernels omit the marker. */
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
	/* A marker always fits: the removed mark is larger. */
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
