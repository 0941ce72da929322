/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tree.h"

#include "common/alloc.h"

struct build {
	const struct stacks *stacks;
	const struct field_names *names;
	struct tree *tree;
	const struct tree_request *request;
	struct hist_cursor *spare; /* for partitions, as long as the cursors */
	uint32_t *group_of;        /* by location: which group, + 1 */
};

struct group {
	uint32_t location;
	size_t n, at;
	uint64_t period, samples;
};

struct groups {
	ARRAY(struct group) list;
	uint64_t period; /* of them all */
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
	if (build->request->callers_first)
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

/* Counts N cursors by their next location; those that ended, in NODE. */
static void count_groups(struct build *build, const struct hist_cursor *at,
	size_t n, struct tree_node *node, struct groups *groups)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t location = next_location(build, &at[i]);
		const struct stack *stack =
			&build->stacks->stacks.at[at[i].stack];
		struct group *group;

		if (location == ENDED) {
			node->ends += stack->period;
			node->samples_at_ends += stack->samples;
			continue;
		}
		if (!build->group_of[location]) {
			array_push(&groups->list)->location = location;
			build->group_of[location] = (uint32_t)groups->list.n;
		}
		group = &groups->list.at[build->group_of[location] - 1];
		group->n++;
		group->period += stack->period;
		group->samples += stack->samples;
		groups->period += stack->period;
	}
}

/*
 * Parts N cursors by their next location: groups in AT, one behind the other,
 * cursors that ended left out.
 */
static void partition(struct build *build, struct hist_cursor *at, size_t n,
	struct groups *groups)
{
	size_t i, place = 0;

	array_each(&groups->list, group) {
		group->at = place;
		place += group->n;
	}
	for (i = 0; i < n; i++) {
		uint32_t location = next_location(build, &at[i]);

		if (location != ENDED)
			build->spare[groups->list
					     .at[build->group_of[location] - 1]
					     .at++] = at[i];
	}
	memcpy(at, build->spare, place * sizeof(*at));
	array_each(&groups->list, group) {
		group->at -= group->n;
		build->group_of[group->location] = 0;
	}
}

/* Appends a node for GROUP below PARENT, behind its child PREVIOUS. */
static uint32_t add_node(struct build *build, const struct group *group,
	uint32_t parent, uint32_t previous)
{
	uint32_t new = (uint32_t)build->tree->nodes.n;

	*array_push(&build->tree->nodes) = (struct tree_node){
		.location = group->location,
		.parent = parent,
		.child = TREE_NONE,
		.sibling = TREE_NONE,
		.period = group->period,
		.samples = group->samples,
	};
	if (previous == TREE_NONE)
		build->tree->nodes.at[parent].child = new;
	else
		build->tree->nodes.at[previous].sibling = new;
	return new;
}

/* Of branches that have PERIOD together: the least that one must have. */
static uint64_t least_period(const struct build *build, uint64_t period)
{
	double exact = (double)period * build->request->share;
	uint64_t least = (uint64_t)exact;

	if ((double)least < exact)
		least++;
	least = MAX(least, build->request->limit);
	return MAX(least, (uint64_t)1);
}

static void grow(
	struct build *build, uint32_t node, struct hist_cursor *at, size_t n)
{
	uint32_t previous = TREE_NONE;
	struct groups groups = { 0 };
	uint64_t least;
	size_t j;

	count_groups(build, at, n, &build->tree->nodes.at[node], &groups);
	partition(build, at, n, &groups);
	least = least_period(build, groups.period);
	if (groups.list.n)
		qsort_r(groups.list.at, groups.list.n, sizeof(struct group),
			compare_groups, build);
	array_each(&groups.list, group) {
		if (group->period < least)
			break;
		previous = add_node(build, group, node, previous);
		for (j = 0; j < group->n; j++)
			step(build, &at[group->at + j]);
		grow(build, previous, at + group->at, group->n);
	}
	array_free(&groups.list);
}

void tree_build(const struct scan *scan, struct row *row,
	const struct tree_request *request, const struct field_names *names,
	struct tree *ret)
{
	struct build build = {
		.stacks = &scan->stacks,
		.names = names,
		.tree = ret,
		.request = request,
		.spare = xcalloc(row->cursors.n, sizeof(*build.spare)),
		.group_of = xcalloc(resolver_n_locations(names->resolver),
			sizeof(*build.group_of)),
	};

	*ret = (struct tree){ 0 };
	*array_push(&ret->nodes) = (struct tree_node){ .parent = TREE_NONE,
		.child = TREE_NONE,
		.sibling = TREE_NONE };
	array_each(&row->cursors, cursor) {
		const struct stack *stack =
			&scan->stacks.stacks.at[cursor->stack];

		ret->nodes.at[0].period += stack->period;
		ret->nodes.at[0].samples += stack->samples;
	}
	if (row->cursors.n)
		grow(&build, 0, row->cursors.at, row->cursors.n);
	free(build.spare);
	free(build.group_of);
}

void tree_deinit(struct tree *tree)
{
	array_free(&tree->nodes);
}
