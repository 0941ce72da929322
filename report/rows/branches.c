/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/branches.h"

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "common/util/strbuf.h"

struct branches {
	struct resolver *resolver;
	enum branch_key key;
	struct hash_index by_branch;
	struct hash_index by_line;
	ARRAY(char *) lines;	 /* distinct texts of source lines; owned */
	ARRAY(uint32_t) line_of; /* index in .lines of each location */
};

/*
 * Returns the number of the source line of LOCATION. Lines with equal text have
 * one number. Returns 0 unless branches are distinguished by line.
 */
static uint32_t find_line_text_number(
	struct branches *branches, uint32_t location)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };

	if (branches->key != BRANCH_LINE)
		return 0;
	resolver_put_line(branches->resolver, location, LINE_BY_OFFSET, &line);
	uint64_t hash = hash_string(line.at);
	uint32_t n = (uint32_t)branches->lines.n;

	hash_each_match(&branches->by_line, hash, i)
		if (string_is(branches->lines.at[i], line.at))
			return i;
	hash_insert(&branches->by_line, hash, n);
	*array_push(&branches->lines) = xstrdup(line.at);
	return n;
}

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

static uint32_t find_branch_of(struct branches *branches, uint32_t location)
{
	const struct location *at =
		resolver_location(branches->resolver, location);
	uint32_t line = branches->line_of.at[location];
	uint64_t hash = hash_words(location_is_identified_by_name(at)
			? hash_words((uintptr_t)at->symbol, at->dso_name)
			: hash_words(at->start, (uintptr_t)at->dso),
		line);

	hash_each_match(&branches->by_branch, hash, i)
		if (branches->line_of.at[i] == line &&
			is_same_branch_function(
				resolver_location(branches->resolver, i), at))
			return i;
	hash_insert(&branches->by_branch, hash, location);
	return location;
}

uint32_t *branches_find(struct resolver *resolver, enum branch_key key)
{
	uint32_t n = resolver_n_locations(resolver), i;
	uint32_t *first_of = xcalloc(n, sizeof(*first_of));
	struct branches branches = { .resolver = resolver, .key = key };

	for (i = 0; i < n; i++) {
		*array_push(&branches.line_of) =
			find_line_text_number(&branches, i);
		first_of[i] = key == BRANCH_ADDRESS
			? i
			: find_branch_of(&branches, i);
	}
	hash_free(&branches.by_branch);
	hash_free(&branches.by_line);
	array_each(&branches.lines, line)
		free(*line);
	array_free(&branches.lines);
	array_free(&branches.line_of);
	return first_of;
}
