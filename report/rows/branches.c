/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/branches.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"
#include "report/util/string_table.h"

/*
 * Inlined functions are compared by the pointer to their name, of which there
 * is one copy; most other functions by their start address.
 */
static bool is_same_branch_function(
	const struct location *left, const struct location *right)
{
	if (left->is_inlined != right->is_inlined ||
		left->is_guessed != right->is_guessed ||
		!left->symbol != !right->symbol || left->level != right->level)
		return false;
	return location_is_identified_by_name(left)
		? left->symbol == right->symbol &&
			left->dso_name == right->dso_name
		: left->start == right->start && left->dso == right->dso;
}

uint32_t *branches_find(struct resolver *resolver, enum branch_key key)
{
	uint32_t n = resolver_n_locations(resolver), i;
	uint32_t *first_of = xcalloc(n, sizeof(*first_of));
	/* number of each location's source line; equal texts have one number */
	_cleanup_free_ uint32_t *line_of = xcalloc(n, sizeof(*line_of));
	struct string_table lines = { 0 };
	struct hash_index by_branch = { 0 };

	for (i = 0; i < n; i++) {
		const struct location *at = resolver_location(resolver, i);
		_cleanup_strbuf_ struct strbuf line = { 0 };
		uint64_t hash;

		first_of[i] = i;
		if (key == BRANCH_ADDRESS)
			continue;
		if (key == BRANCH_LINE) {
			resolver_put_line(
				resolver, i, RESOLVE_LINE_BY_OFFSET, &line);
			line_of[i] = string_table_intern(&lines, line.at);
		}
		hash = hash_words(location_is_identified_by_name(at)
				? hash_words(
					  (uintptr_t)at->symbol, at->dso_name)
				: hash_words(at->start, (uintptr_t)at->dso),
			line_of[i]);
		hash_each_match(&by_branch, hash, j)
			if (line_of[j] == line_of[i] &&
				is_same_branch_function(
					resolver_location(resolver, j), at)) {
				first_of[i] = j;
				break;
			}
		if (first_of[i] == i)
			hash_insert(&by_branch, hash, i);
	}
	hash_free(&by_branch);
	string_table_deinit(&lines);
	return first_of;
}
