/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Behind cfi.h: what was asked of rules, rules of nothing else, and who knows the
 * rest.
 */
#include "config.h"

#include <stdatomic.h>

#include "common/unwind/cfi.h"
#include "common/unwind/cfi_answers.h"
#include "common/unwind/cfi_private.h"
#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "common/util/overlay.h"

struct cfi_watch {
	_Atomic uint64_t *asked; /* a bit for each row of the table */
	/* In full, with the lock of the cfi. */
	ARRAY(struct watched_row {
		struct cfi_row row;
		const struct cfi_section *expressions;
	}) rows;
	struct hash_index by_start;
};

void cfi_watch(struct cfi *cfi)
{
	if (cfi->watch)
		return;
	cfi->watch = xcalloc(1, sizeof(*cfi->watch));
	cfi->watch->asked = xcalloc(
		cfi->table->n_rows / 64 + 1, sizeof(*cfi->watch->asked));
}

void cfi_watch_free(struct cfi_watch *watch)
{
	if (!watch)
		return;
	array_free(&watch->rows);
	hash_free(&watch->by_start);
	free(watch->asked);
	free(watch);
}

void cfi_watch_rule(const struct cfi *cfi, uint64_t address)
{
	uint32_t row = cfi_table_row(cfi->table, address);

	if (row < cfi->table->n_rows)
		atomic_fetch_or_explicit(&cfi->watch->asked[row / 64],
			UINT64_C(1) << row % 64, memory_order_relaxed);
}

static bool is_known(const struct cfi_watch *watch, uint64_t start)
{
	uint64_t hash = hash_words(start, 0);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&watch->by_start, hash, &probe)) != HASH_NONE)
		if (watch->rows.at[i].row.start == start)
			return true;
	return false;
}

void cfi_watch_row(struct cfi *cfi, const struct cfi_row *row,
	const struct cfi_section *expressions)
{
	struct cfi_watch *watch = cfi->watch;

	pthread_mutex_lock(&cfi->lock);
	if (!is_known(watch, row->start)) {
		hash_insert(&watch->by_start, hash_words(row->start, 0),
			(uint32_t)watch->rows.n);
		*array_push(&watch->rows) =
			(struct watched_row){ *row, expressions };
	}
	pthread_mutex_unlock(&cfi->lock);
}

/* What was asked, of rules and in full. */
struct asked {
	struct overlay places; /* by number of RULES */
	ARRAY(uint32_t) rules;
	ARRAY(const struct watched_row *) rows;
};

static void gather(const struct cfi *cfi, struct asked *asked)
{
	const struct cfi_watch *watch = cfi->watch;
	uint32_t i;

	if (!watch)
		return;
	for (i = 0; i < cfi->table->n_rows; i++) {
		struct cfi_table_row row;

		if (!(watch->asked[i / 64] >> i % 64 & 1))
			continue;
		row = cfi_table_row_at(cfi->table, i);
		if (row.rule == CFI_NONE || row.start >= row.end)
			continue;
		*array_push(&asked->places.ranges) = (struct overlay_range){
			row.start, row.end, asked->rules.n };
		*array_push(&asked->rules) = row.rule;
	}
	array_each(&watch->rows, row)
		*array_push(&asked->rows) = row;
}

static int compare(const void *a, const void *b)
{
	const struct watched_row *const *left = a, *const *right = b;

	return COMPARE((*left)->row.start, (*right)->row.start);
}

void cfi_answers_of(const struct cfi *cfi, struct cfi_answers *ret)
{
	struct asked asked = { 0 };
	uint64_t end = 0;

	*ret = (struct cfi_answers){ 0 };
	/* What comes later counts where both answer. */
	if (cfi->rest)
		gather(cfi->rest, &asked);
	gather(cfi, &asked);
	overlay(&asked.places);
	array_each(&asked.places.ranges, place)
		cfi_answers_add_rule(ret, place->start, place->end,
			asked.rules.at[place->number]);
	array_sort(&asked.rows, compare);
	array_each(&asked.rows, row) {
		if ((*row)->row.start < end)
			continue;
		cfi_answers_add_row(ret, &(*row)->row, (*row)->expressions);
		end = (*row)->row.end;
	}
	overlay_deinit(&asked.places);
	array_free(&asked.rules);
	array_free(&asked.rows);
}

void cfi_set_rest(
	struct cfi *cfi, struct cfi *(*find)(void *data), void *data)
{
	cfi->find_rest = find;
	cfi->find_data = data;
}

struct cfi *cfi_ask_rest(struct cfi *cfi)
{
	if (!cfi->find_rest)
		return NULL;
	if (atomic_load_explicit(&cfi->is_rest_known, memory_order_acquire))
		return cfi->rest;
	pthread_mutex_lock(&cfi->lock);
	if (!cfi->is_rest_known) {
		cfi->rest = cfi->find_rest(cfi->find_data);
		atomic_store_explicit(
			&cfi->is_rest_known, true, memory_order_release);
	}
	pthread_mutex_unlock(&cfi->lock);
	return cfi->rest;
}
