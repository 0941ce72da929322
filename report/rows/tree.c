/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/tree.h"

#include "common/util/alloc.h"

/*
 * Small numbers that replace locations in cursor.ahead. 0: nothing was looked
 * up.
 */
enum {
	AHEAD_UNKNOWN,
	AHEAD_ENDED,
	AHEAD_SMALL, /* a location below the limit, which no branch can have */
	AHEAD_APART, /* the stacks continue with different frames */
	AHEAD_FIRST, /* first number of locations that can be branches */
};

/*
 * The position in stacks with a common beginning. .ahead has the next
 * locations, a few bits each, so that most steps access no other memory.
 */
struct tree_cursor {
	uint64_t ahead;
	uint64_t period, samples; /* modulo 2^64, see row_stacks.h */
	/* frames that follow the frames in .ahead, up to the end of .branch */
	struct chain rest;
	uint32_t branch;
};

struct tree_group {
	uint32_t ahead;
	size_t n, at;
	uint64_t period, samples;
};

struct tree_groups {
	ARRAY(struct tree_group)
	list;		 /* element 0 has the stacks that no branch follows */
	uint64_t period; /* of all stacks that do not end at the node */
};

struct tree_grower {
	const struct tree_common *common;
	struct tree *tree;  /* the tree that is being built */
	uint32_t *group_of; /* by number in .ahead_of: index of the group */
	ARRAY(struct tree_cursor) cursors;
};

/* --- steps ---------------------------------------------------------------- */

static uint32_t next_location_of(
	const struct tree_common *common, struct tree_cursor *cursor)
{
	uint64_t mask = (UINT64_C(1) << common->ahead_bits) - 1;

	if (unlikely((cursor->ahead & mask) == AHEAD_UNKNOWN)) {
		unsigned shift;

		cursor->ahead = 0;
		for (shift = 0; shift < 64; shift += common->ahead_bits) {
			uint64_t ahead = cursor->branch & STACK_PREFIXES_LEAF
				? AHEAD_ENDED
				: AHEAD_APART;

			if (!chain_is_empty(&cursor->rest))
				ahead = common->ahead_of[common->hist->prefixes
								 ->callers_first
						? chain_last(&cursor->rest)
						: chain_next(&cursor->rest)];
			cursor->ahead |= ahead << shift;
			if (ahead < AHEAD_FIRST)
				break;
		}
	}
	return (uint32_t)(cursor->ahead & mask);
}

/*
 * Replaces the cursor with index NUMBER by one cursor for each branch below the
 * prefix of the cursor.
 */
static void split_cursor(struct tree_grower *grower, size_t number)
{
	const struct stack_prefixes *prefixes = grower->common->hist->prefixes;
	const struct tree_cursor whole = grower->cursors.at[number];
	uint32_t size = prefixes->at.at[whole.branch].size, branch;
	struct stack_prefixes_visit visit =
		stack_prefixes_visit(prefixes, whole.branch);
	struct tree_cursor *cursor = &grower->cursors.at[number];

	while (stack_prefixes_next(prefixes, &visit, &branch)) {
		const struct stack *stack;

		if (!cursor)
			cursor = array_push(&grower->cursors);
		*cursor = (struct tree_cursor){ .branch = branch,
			.rest = stack_prefixes_part(prefixes, branch, size) };
		if (branch & STACK_PREFIXES_LEAF) {
			stack = stack_prefixes_stack(prefixes,
				stack_prefixes_leaf_of(prefixes, branch));
			cursor->period = stack->period;
			cursor->samples = stack->samples;
		} else {
			cursor->period = prefixes->at.at[branch].period;
			cursor->samples = prefixes->at.at[branch].samples;
		}
		cursor = NULL;
	}
}

/* --- groups --------------------------------------------------------------- */

/*
 * Adds the cursor with index NUMBER to the group of the cursor's next location,
 * or to NODE if the stacks of the cursor end.
 */
static void count_cursor(struct tree_grower *grower, size_t number,
	struct tree_node *node, struct tree_groups *groups)
{
	const struct tree_common *common = grower->common;
	uint32_t ahead = next_location_of(common, &grower->cursors.at[number]);
	const struct tree_cursor *cursor;
	struct tree_group *group;

	while (unlikely(ahead == AHEAD_APART)) {
		split_cursor(grower, number);
		ahead = next_location_of(common, &grower->cursors.at[number]);
	}
	cursor = &grower->cursors.at[number];
	if (ahead == AHEAD_ENDED) {
		node->ends += cursor->period;
		node->samples_at_ends += cursor->samples;
	} else {
		groups->period += cursor->period;
	}
	if (ahead >= AHEAD_FIRST && !grower->group_of[ahead]) {
		grower->group_of[ahead] = (uint32_t)groups->list.n;
		array_push(&groups->list)->ahead = ahead;
	}
	group = &groups->list.at[grower->group_of[ahead]];
	group->n++;
	group->period += cursor->period;
	group->samples += cursor->samples;
}

/*
 * Groups with equal periods are ordered by symbol name, and functions with the
 * same name by address.
 */
static int compare_branch_groups(const void *a, const void *b, void *data)
{
	const struct tree_group *left = a, *right = b;
	const struct tree_grower *grower = data;
	struct resolver *resolver = grower->common->names->resolver;
	const uint32_t *locations = grower->common->locations.at;
	const struct location *left_at, *right_at;
	int order;

	if (left->period != right->period)
		return COMPARE(right->period, left->period);
	order = strcmp(resolver_symbol_name(resolver, locations[left->ahead]),
		resolver_symbol_name(resolver, locations[right->ahead]));
	if (order)
		return order;
	left_at = resolver_location(resolver, locations[left->ahead]);
	right_at = resolver_location(resolver, locations[right->ahead]);
	return left_at->start != right_at->start
		? COMPARE(left_at->start, right_at->start)
		: COMPARE(left_at->place, right_at->place);
}

/*
 * Sorts the cursors from index FIRST on by group, by swapping each cursor into
 * its group, and advances each cursor by one location. The largest group is
 * last, so that the number of its cursors can grow.
 */
static void partition_cursors(struct tree_grower *grower,
	struct tree_groups *groups, size_t followed, size_t first)
{
	const struct tree_common *common = grower->common;
	struct tree_cursor *at = grower->cursors.at;
	size_t end = first, i;

	for (i = 0; i <= followed; i++) {
		struct tree_group *group =
			&groups->list.at[i ? followed + 1 - i : 0];

		group->at = end;
		end += group->n;
	}
	end = first;
	for (i = 0; i <= followed; i++) {
		struct tree_group *group =
			&groups->list.at[i ? followed + 1 - i : 0];

		end += group->n;
		while (group->at < end) {
			struct tree_cursor cursor = at[group->at];
			uint32_t ahead = next_location_of(common, &cursor);
			struct tree_group *other =
				&groups->list.at[grower->group_of[ahead]];

			at[group->at] = at[other->at];
			cursor.ahead >>= common->ahead_bits;
			at[other->at++] = cursor;
		}
		group->at -= group->n;
	}
	array_each(&groups->list, group)
		grower->group_of[group->ahead] = 0;
}

/* --- the tree ------------------------------------------------------------- */

/* Builds the children of NODE from the cursors from FIRST to the last one. */
static void grow_tree_node(
	struct tree_grower *grower, uint32_t node, size_t first)
{
	uint32_t previous = TREE_NONE;
	struct tree_groups groups = { 0 };
	struct tree_group *at;
	size_t followed, i;

	array_push(&groups.list);
	for (i = first; i < grower->cursors.n; i++)
		count_cursor(grower, i, &grower->tree->nodes.at[node], &groups);
	/*
	 * The smallest period that a branch must have if all branches have
	 * .period together.
	 */
	double exact = (double)groups.period * grower->common->request.share;
	uint64_t least = (uint64_t)exact;

	if ((double)least < exact)
		least++;
	least = MAX(least, grower->common->limit);
	/*
	 * Sort groups by period, the largest first, behind group 0, to which
	 * the small groups are added.
	 */
	at = groups.list.at;
	qsort_r(at + 1, groups.list.n - 1, sizeof(*at), compare_branch_groups,
		grower);
	for (i = 1; i < groups.list.n && at[i].period >= least; i++)
		grower->group_of[at[i].ahead] = (uint32_t)i;
	followed = i - 1;
	for (; i < groups.list.n; i++) {
		grower->group_of[at[i].ahead] = 0;
		at[0].n += at[i].n;
	}
	partition_cursors(grower, &groups, followed, first);
	for (i = 1; i <= followed; i++) {
		const struct tree_group *group = &groups.list.at[i];
		struct tree *tree = grower->tree;
		uint32_t new = (uint32_t)tree->nodes.n;

		*array_push(&tree->nodes) = (struct tree_node){
			.location = grower->common->locations.at[group->ahead],
			.parent = node,
			.child = TREE_NONE,
			.sibling = TREE_NONE,
			.period = group->period,
			.samples = group->samples,
		};
		if (previous == TREE_NONE)
			tree->nodes.at[node].child = new;
		else
			tree->nodes.at[previous].sibling = new;
		previous = new;
		grow_tree_node(grower, previous, group->at);
		grower->cursors.n = group->at;
	}
	array_free(&groups.list);
}

/* --- shared data of trees ------------------------------------------------ */

void tree_common_init(const struct field_names *names, const struct hist *hist,
	const struct tree_request *request, struct tree_common *ret)
{
	struct resolver *resolver = names->resolver;
	size_t n = resolver_n_locations(resolver), i;
	_cleanup_free_ uint32_t *first_of =
		branches_find(resolver, request->key);
	/*
	 * The period of each branch, or an upper limit of the period, by the
	 * first location of the branch.
	 */
	_cleanup_free_ uint64_t *through = xcalloc(n, sizeof(*through));

	*ret = (struct tree_common){
		.names = names,
		.hist = hist,
		.request = *request,
		.limit = MAX(request->limit, (uint64_t)1),
	};
	for (i = 0; i < MIN(n, hist->through.n); i++)
		if (__builtin_add_overflow(through[first_of[i]],
			    hist->through.at[i], &through[first_of[i]]))
			through[first_of[i]] = UINT64_MAX;
	/* Small numbers are for locations that can be branches, which are few. */
	ret->ahead_of = xcalloc(n, sizeof(*ret->ahead_of));
	for (i = 0; i < AHEAD_FIRST; i++)
		array_push(&ret->locations);
	for (i = 0; i < n; i++) {
		ret->ahead_of[i] = ret->ahead_of[first_of[i]];
		if (first_of[i] != i)
			continue;
		ret->ahead_of[i] = AHEAD_SMALL;
		if (through[i] < ret->limit)
			continue;
		ret->ahead_of[i] = (uint32_t)ret->locations.n;
		*array_push(&ret->locations) = (uint32_t)i;
	}
	/*
	 * Most trees end after four levels, so a longer look-ahead is useless.
	 */
	ret->ahead_bits = ret->locations.n <= UINT16_MAX ? 16 : 32;
	if (ret->locations.n > AHEAD_FIRST)
		ret->stacks = row_stacks_create(hist, ret->limit);
}

void tree_common_deinit(struct tree_common *common)
{
	free(common->ahead_of);
	array_free(&common->locations);
	row_stacks_destroy(common->stacks);
}

struct tree_grower *tree_grower_create(const struct tree_common *common)
{
	struct tree_grower *grower = xcalloc(1, sizeof(*grower));

	grower->common = common;
	grower->group_of =
		xcalloc(common->locations.n, sizeof(*grower->group_of));
	return grower;
}

void tree_grower_destroy(struct tree_grower *grower)
{
	if (!grower)
		return;
	free(grower->group_of);
	array_free(&grower->cursors);
	free(grower);
}

/* --- one tree ------------------------------------------------------------- */

static void add_stack_cursor(void *data, const struct row_stack *stack)
{
	struct tree_grower *grower = data;
	struct tree_node *all = &grower->tree->nodes.at[0];

	*array_push(&grower->cursors) = (struct tree_cursor){
		.period = stack->period,
		.samples = stack->samples,
		.rest = stack->part,
		.branch = stack->branch,
	};
	all->period += stack->period;
	all->samples += stack->samples;
}

void tree_grow(
	struct tree_grower *grower, const struct row *row, struct tree *ret)
{
	const struct tree_common *common = grower->common;

	*ret = (struct tree){ 0 };
	*array_push(&ret->nodes) = (struct tree_node){
		.parent = TREE_NONE, .child = TREE_NONE, .sibling = TREE_NONE
	};
	if (MAX(row->children, row->self) < common->limit ||
		common->locations.n == AHEAD_FIRST)
		return;
	grower->tree = ret;
	array_clear(&grower->cursors);
	row_stacks_visit(common->stacks, row, add_stack_cursor, grower);
	grow_tree_node(grower, 0, 0);
}

void tree_deinit(struct tree *tree)
{
	array_free(&tree->nodes);
}
