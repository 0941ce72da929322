/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tree.h"

#include "common/alloc.h"

struct build {
	const struct stacks *stacks;
	const struct field_names *names;
	struct tree *tree;
	bool callers_first;
	uint64_t limit;
	struct hist_cursor *spare; /* for partitions, as long as the cursors */
	uint32_t *group_of;        /* by location: which group, + 1 */
};

struct group {
	uint32_t location;
	size_t n, at;
	uint64_t period;
};

#define ENDED UINT32_MAX

static uint32_t next_location(
	const struct build *build, const struct hist_cursor *cursor)
{
	const struct stack *stack =
		&build->stacks->stacks.at[cursor->stack];

	if (cursor->at == 0 || cursor->at >= stack->n)
		return ENDED;
	return build->stacks->chains.at[stack->frames + cursor->at];
}

static void step(const struct build *build, struct hist_cursor *cursor)
{
	if (build->callers_first)
		cursor->at--;
	else
		cursor->at++;
}

static int compare_groups(const void *a, const void *b, void *data)
{
	const struct group *left = a, *right = b;
	struct build *build = data;

	if (left->period != right->period)
		return COMPARE(right->period, left->period);
	return strcmp(
		resolver_symbol_name(build->names->resolver, left->location),
		resolver_symbol_name(build->names->resolver, right->location));
}

/*
 * Parts N cursors by their next location: groups in AT, one behind the other,
 * cursors that ended left out. Returns the groups, owned by the caller.
 */
static struct group *partition(struct build *build, struct hist_cursor *at,
	size_t n, size_t *n_groups_ret, uint64_t *ended_ret)
{
	ARRAY(struct group) groups = { 0 };
	size_t i, place = 0;

	for (i = 0; i < n; i++) {
		uint32_t location = next_location(build, &at[i]);
		uint64_t period = build->stacks->stacks.at[at[i].stack].period;
		struct group *group;

		if (location == ENDED) {
			*ended_ret += period;
			continue;
		}
		if (!build->group_of[location]) {
			array_push(&groups)->location = location;
			build->group_of[location] = (uint32_t)groups.n;
		}
		group = &groups.at[build->group_of[location] - 1];
		group->n++;
		group->period += period;
	}
	array_each(&groups, group) {
		group->at = place;
		place += group->n;
	}
	for (i = 0; i < n; i++) {
		uint32_t location = next_location(build, &at[i]);

		if (location != ENDED)
			build->spare[groups.at[build->group_of[location] - 1]
						  .at++] = at[i];
	}
	memcpy(at, build->spare, place * sizeof(*at));
	array_each(&groups, group) {
		group->at -= group->n;
		build->group_of[group->location] = 0;
	}
	*n_groups_ret = groups.n;
	return groups.at;
}

static void grow(
	struct build *build, uint32_t node, struct hist_cursor *at, size_t n)
{
	_cleanup_free_ struct group *groups = NULL;
	uint32_t previous = TREE_NONE;
	uint64_t ended = 0;
	size_t n_groups, i, j;

	groups = partition(build, at, n, &n_groups, &ended);
	build->tree->nodes.at[node].ends = ended;
	if (n_groups)
		qsort_r(groups, n_groups, sizeof(*groups), compare_groups,
			build);
	for (i = 0; i < n_groups; i++) {
		uint32_t new = (uint32_t)build->tree->nodes.n;

		if (groups[i].period < build->limit)
			break;
		*array_push(&build->tree->nodes) = (struct tree_node){
			.location = groups[i].location,
			.child = TREE_NONE,
			.sibling = TREE_NONE,
			.period = groups[i].period,
		};
		if (previous == TREE_NONE)
			build->tree->nodes.at[node].child = new;
		else
			build->tree->nodes.at[previous].sibling = new;
		previous = new;
		for (j = 0; j < groups[i].n; j++)
			step(build, &at[groups[i].at + j]);
		grow(build, new, at + groups[i].at, groups[i].n);
	}
}

void tree_build(const struct scan *scan, struct row *row, bool callers_first,
	uint64_t limit, const struct field_names *names, struct tree *ret)
{
	struct build build = {
		.stacks = &scan->stacks,
		.names = names,
		.tree = ret,
		.callers_first = callers_first,
		.limit = MAX(limit, (uint64_t)1),
		.spare = xcalloc(row->cursors.n, sizeof(*build.spare)),
		.group_of = xcalloc(resolver_n_locations(names->resolver),
			sizeof(*build.group_of)),
	};

	*ret = (struct tree){ 0 };
	*array_push(&ret->nodes) = (struct tree_node){
		.child = TREE_NONE, .sibling = TREE_NONE };
	if (row->cursors.n)
		grow(&build, 0, row->cursors.at, row->cursors.n);
	free(build.spare);
	free(build.group_of);
}

void tree_deinit(struct tree *tree)
{
	array_free(&tree->nodes);
}
