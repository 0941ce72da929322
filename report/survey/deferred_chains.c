/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/survey/deferred_chains.h"

#include <inttypes.h>

#include "common/util/budget.h"
#include "common/util/log.h"

/* Memory of an array element and its hash slots; a hash is at most 3/4 full. */
#define CHAIN_COST \
	(sizeof(struct deferred_chain) + 4 * sizeof(struct hash_slot))
#define ENTRIES_COST \
	(sizeof(struct deferred_entries) + 4 * sizeof(struct hash_slot))

static size_t userchain_size(const struct userchain *chain)
{
	return chain->n * sizeof(uint64_t);
}

bool deferred_chains_add(struct deferred_chains *deferred,
	struct budget *budget, uint32_t tid, const struct userchain *chain)
{
	uint64_t hash = hash_bytes(chain->entries, userchain_size(chain));
	uint32_t entries = HASH_NONE;
	bool is_new;

	hash_each_match(&deferred->by_entries, hash, i) {
		const struct deferred_entries *at = &deferred->entries.at[i];

		if (at->n == chain->n &&
			(!at->n ||
				!memcmp(deferred->bytes.at + at->at,
					chain->entries,
					userchain_size(chain)))) {
			entries = i;
			break;
		}
	}
	is_new = entries == HASH_NONE;
	if (!budget_reserve(budget,
		    CHAIN_COST +
			    (is_new ? ENTRIES_COST + 2 * userchain_size(chain)
				    : 0)))
		return false;
	if (is_new) {
		entries = (uint32_t)deferred->entries.n;
		hash_insert(&deferred->by_entries, hash, entries);
		*array_push(&deferred->entries) =
			(struct deferred_entries){ deferred->bytes.n,
				chain->n };
		strbuf_put(&deferred->bytes, chain->entries,
			userchain_size(chain));
	}
	hash_insert(&deferred->by_key, hash_words(chain->cookie, tid),
		(uint32_t)deferred->chains.n);
	*array_push(&deferred->chains) =
		(struct deferred_chain){ chain->cookie, tid, entries };
	return true;
}

void deferred_chains_deinit(struct deferred_chains *deferred)
{
	array_free(&deferred->chains);
	array_free(&deferred->entries);
	strbuf_free(&deferred->bytes);
	hash_free(&deferred->by_key);
	hash_free(&deferred->by_entries);
}

bool deferred_chains_read(const struct deferred_chains *deferred,
	const struct sample_layout *layout, struct record *record,
	struct sample *ret, struct deferred_room *room)
{
	if (!sample_read(layout, record, ret))
		return false;
	if (likely(!userchain_is_awaited(ret)))
		return true;
	uint64_t cookie = sample_chain_entry(ret, ret->n_chain - 1);
	uint64_t hash = hash_words(cookie, ret->tid);
	struct userchain chain;
	bool is_there = false;

	hash_each_match(&deferred->by_key, hash, i) {
		const struct deferred_chain *known = &deferred->chains.at[i];
		const struct deferred_entries *at =
			&deferred->entries.at[known->entries];

		if (known->cookie != cookie || known->tid != ret->tid)
			continue;
		chain = (struct userchain){ cookie, at->n,
			(const uint8_t *)deferred->bytes.at + at->at };
		is_there = true;
		break;
	}
	room->missing += !is_there;
	record->size = userchain_join(record->data, record->size,
		(size_t)(ret->chain - record->data) - sizeof(uint64_t),
		is_there ? &chain : NULL, room->record);
	record->data = room->record;
	return sample_read(layout, record, ret);
}

void deferred_chains_report_missing(
	const struct reader *reader, uint64_t missing)
{
	if (missing)
		log_note("%s: %" PRIu64 " samples have no user call chain: its "
			 "CALLCHAIN_DEFERRED record is missing",
			reader_path(reader), missing);
}
