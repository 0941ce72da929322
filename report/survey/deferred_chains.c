/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/deferred_chains.h"

#include <inttypes.h>

#include "common/util/log.h"

/* With their places in the indexes, which are at least a quarter empty. */
#define CHAIN_COST (sizeof(struct late_chain) + 4 * sizeof(struct hash_slot))
#define ENTRIES_COST                                                           \
	(sizeof(struct late_entries) + 4 * sizeof(struct hash_slot))

static size_t size_of(const struct userchain *chain)
{
	return chain->n * sizeof(uint64_t);
}

static uint32_t find_entries(const struct late *late,
	const struct userchain *chain, uint64_t hash)
{
	uint32_t probe = hash_start(hash), i;

	while ((i = hash_next(&late->by_entries, hash, &probe)) != HASH_NONE) {
		const struct late_entries *at = &late->entries.at[i];

		if (at->n == chain->n &&
			(!at->n ||
				!memcmp(late->bytes.at + at->at,
					chain->entries, size_of(chain))))
			break;
	}
	return i;
}

bool late_add(struct late *late, struct reader *reader, uint32_t tid,
	const struct userchain *chain)
{
	uint64_t hash = hash_bytes(chain->entries, size_of(chain));
	uint32_t entries = find_entries(late, chain, hash);
	bool is_new = entries == HASH_NONE;

	if (!reader_affords(reader, CHAIN_COST +
			(is_new ? ENTRIES_COST + 2 * size_of(chain) : 0)))
		return false;
	if (is_new) {
		entries = (uint32_t)late->entries.n;
		hash_insert(&late->by_entries, hash, entries);
		*array_push(&late->entries) =
			(struct late_entries){ late->bytes.n, chain->n };
		strbuf_put(&late->bytes, chain->entries, size_of(chain));
	}
	hash_insert(&late->by_key, hash_words(chain->cookie, tid),
		(uint32_t)late->chains.n);
	*array_push(&late->chains) =
		(struct late_chain){ chain->cookie, tid, entries };
	return true;
}

void late_deinit(struct late *late)
{
	array_free(&late->chains);
	array_free(&late->entries);
	strbuf_free(&late->bytes);
	hash_free(&late->by_key);
	hash_free(&late->by_entries);
}

static bool find(const struct late *late, uint32_t tid, uint64_t cookie,
	struct userchain *ret)
{
	uint64_t hash = hash_words(cookie, tid);
	uint32_t probe = hash_start(hash), i;

	while ((i = hash_next(&late->by_key, hash, &probe)) != HASH_NONE) {
		const struct late_chain *chain = &late->chains.at[i];
		const struct late_entries *at =
			&late->entries.at[chain->entries];

		if (chain->cookie != cookie || chain->tid != tid)
			continue;
		*ret = (struct userchain){ cookie, at->n,
			(const uint8_t *)late->bytes.at + at->at };
		return true;
	}
	return false;
}

static void join(const struct late *late, const struct sample *sample,
	struct record *record, struct late_room *room)
{
	uint64_t cookie =
		sample_chain_entry(sample, sample->n_chain - 1);
	struct userchain chain;
	bool is_there = find(late, sample->tid, cookie, &chain);

	room->missing += !is_there;
	record->size = userchain_join(record->data, record->size,
		(size_t)(sample->chain - record->data) - sizeof(uint64_t),
		is_there ? &chain : NULL, room->record);
	record->data = room->record;
}

bool late_read(const struct late *late, const struct sample_layout *layout,
	struct record *record, struct sample *ret, struct late_room *room)
{
	if (!sample_read(layout, record, ret))
		return false;
	if (likely(!userchain_is_awaited(ret)))
		return true;
	join(late, ret, record, room);
	return sample_read(layout, record, ret);
}

void late_tell(const struct reader *reader, uint64_t missing)
{
	if (missing)
		log_note("%s: samples that lack the user's part of their call "
			 "chain, because it never came: %" PRIu64,
			reader_path(reader), missing);
}
