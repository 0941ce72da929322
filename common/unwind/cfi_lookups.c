/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records which rules of a struct cfi are looked up, and finds fallback rules.
 * See cfi.h.
 */
#include "config.h"

#include <stdatomic.h>

#include "common/unwind/cfi.h"
#include "common/unwind/cfi_subset.h"
#include "common/unwind/cfi_private.h"
#include "common/util/address_ranges.h"
#include "common/util/alloc.h"
#include "common/util/hash.h"

struct cfi_lookups {
	/* bitmap of looked-up rows of cfi->table */
	_Atomic uint64_t *used_rows;
	/* Full CFI rows that cfi_row() returned; protected by cfi->lock. */
	ARRAY(struct looked_up_row {
		struct cfi_row row;
		const struct cfi_section *expressions;
	})
	rows;
	struct hash_index by_start;
};

void cfi_lookups_start(struct cfi *cfi)
{
	if (cfi->lookups)
		return;
	cfi->lookups = xcalloc(1, sizeof(*cfi->lookups));
	cfi->lookups->used_rows = xcalloc(
		cfi->table->n_rows / 64 + 1, sizeof(*cfi->lookups->used_rows));
}

void cfi_lookups_free(struct cfi_lookups *lookups)
{
	if (!lookups)
		return;
	array_free(&lookups->rows);
	hash_free(&lookups->by_start);
	free(lookups->used_rows);
	free(lookups);
}

void cfi_lookups_add_rule(const struct cfi *cfi, uint64_t address)
{
	uint32_t row = cfi_table_row(cfi->table, address);

	if (row < cfi->table->n_rows)
		atomic_fetch_or_explicit(&cfi->lookups->used_rows[row / 64],
			UINT64_C(1) << row % 64, memory_order_relaxed);
}

static bool is_looked_up_row(const struct cfi_lookups *lookups, uint64_t start)
{
	uint64_t hash = hash_words(start, 0);

	hash_each_match(&lookups->by_start, hash, i)
		if (lookups->rows.at[i].row.start == start)
			return true;
	return false;
}

void cfi_lookups_add_row(struct cfi *cfi, const struct cfi_row *row,
	const struct cfi_section *expressions)
{
	struct cfi_lookups *lookups = cfi->lookups;

	pthread_mutex_lock(&cfi->lock);
	if (!is_looked_up_row(lookups, row->start)) {
		hash_insert(&lookups->by_start, hash_words(row->start, 0),
			(uint32_t)lookups->rows.n);
		*array_push(&lookups->rows) =
			(struct looked_up_row){ *row, expressions };
	}
	pthread_mutex_unlock(&cfi->lock);
}

/* The rules and full CFI rows that were looked up. */
struct used_cfi {
	struct address_ranges places; /* .number is an index of .rules */
	ARRAY(uint32_t) rules;
	ARRAY(const struct looked_up_row *) rows;
};

static void collect_lookups(const struct cfi *cfi, struct used_cfi *used)
{
	const struct cfi_lookups *lookups = cfi->lookups;
	uint32_t i;

	if (!lookups)
		return;
	for (i = 0; i < cfi->table->n_rows; i++) {
		struct cfi_table_row row;

		if (!(lookups->used_rows[i / 64] >> i % 64 & 1))
			continue;
		row = cfi_table_row_at(cfi->table, i);
		if (row.rule == CFI_NONE || row.start >= row.end)
			continue;
		*array_push(&used->places.ranges) =
			(struct address_range){ row.start, row.end,
				used->rules.n };
		*array_push(&used->rules) = row.rule;
	}
	array_each(&lookups->rows, row)
		*array_push(&used->rows) = row;
}

static int compare_looked_up_rows(const void *a, const void *b)
{
	const struct looked_up_row *const *left = a, *const *right = b;

	return COMPARE((*left)->row.start, (*right)->row.start);
}

void cfi_lookups_subset(const struct cfi *cfi, struct cfi_subset *ret)
{
	struct used_cfi used = { 0 };
	uint64_t end = 0;

	*ret = (struct cfi_subset){ 0 };
	/*
	 * The rules of CFI are collected last, because address_ranges_flatten()
	 * prefers later ranges to earlier ranges.
	 */
	if (cfi->fallback)
		collect_lookups(cfi->fallback, &used);
	collect_lookups(cfi, &used);
	address_ranges_flatten(&used.places);
	array_each(&used.places.ranges, place)
		cfi_subset_add_rule(ret, place->start, place->end,
			used.rules.at[place->number]);
	array_sort(&used.rows, compare_looked_up_rows);
	array_each(&used.rows, row) {
		if ((*row)->row.start < end)
			continue;
		cfi_subset_add_row(ret, &(*row)->row, (*row)->expressions);
		end = (*row)->row.end;
	}
	address_ranges_free(&used.places);
	array_free(&used.rules);
	array_free(&used.rows);
}

void cfi_set_fallback(
	struct cfi *cfi, struct cfi *(*find)(void *data), void *data)
{
	cfi->find_fallback = find;
	cfi->fallback_data = data;
}

struct cfi *cfi_find_fallback(struct cfi *cfi)
{
	if (!cfi->find_fallback)
		return NULL;
	if (atomic_load_explicit(&cfi->is_fallback_known, memory_order_acquire))
		return cfi->fallback;
	pthread_mutex_lock(&cfi->lock);
	if (!cfi->is_fallback_known) {
		cfi->fallback = cfi->find_fallback(cfi->fallback_data);
		atomic_store_explicit(
			&cfi->is_fallback_known, true, memory_order_release);
	}
	pthread_mutex_unlock(&cfi->lock);
	return cfi->fallback;
}
