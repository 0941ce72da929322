/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/tree.h"

#include "common/alloc.h"
#include "report/members.h"

/* What stands for a location on the way through chains; 0: look again. */
enum {
	AHEAD_UNKNOWN,
	AHEAD_ENDED,
	AHEAD_SMALL, /* one that no branch can have: it is below the limit */
	AHEAD_FIRST, /* and up: locations that branches may have */
};

/*
 * Where a tree is in one stack. The next locations stand in AHEAD, a few bits
 * for each, so that most steps touch no other memory.
 */
struct cursor {
	uint64_t ahead;
	uint64_t period, samples;
	struct chain rest; /* behind what is in AHEAD */
};

struct group {
	uint32_t ahead;
	size_t n, at;
	uint64_t period, samples;
};

struct groups {
	ARRAY(struct group) list;
	uint64_t period; /* of all that went on, small ones too */
};

struct forest {
	const struct scan *scan;
	const struct stacks *stacks; /* SCAN's */
	const struct field_names *names;
	/* Of the tree that is being built: */
	const struct hist *hist;
	const struct tree_request *request;
	struct tree *tree;
	ARRAY(uint32_t) locations; /* by what stands for them */
	unsigned ahead_bits;
	uint32_t *ahead_of; /* by location */
	uint32_t *group_of; /* by what stands for a location: which, + 1 */
	uint64_t limit;
	bool callers_first;
	struct members *members; /* of HIST's rows that LIMIT leaves */
	ARRAY(struct cursor) cursors;
};

struct forest *forest_create(
	const struct scan *scan, const struct field_names *names)
{
	struct forest *forest = xcalloc(1, sizeof(*forest));
	uint32_t n = resolver_n_locations(names->resolver);

	forest->scan = scan;
	forest->stacks = &scan->stacks;
	forest->names = names;
	forest->ahead_of = xcalloc(n, sizeof(*forest->ahead_of));
	forest->group_of = xcalloc(n + AHEAD_FIRST, sizeof(*forest->group_of));
	return forest;
}

void forest_destroy(struct forest *forest)
{
	if (!forest)
		return;
	free(forest->ahead_of);
	free(forest->group_of);
	array_free(&forest->locations);
	array_free(&forest->cursors);
	members_destroy(forest->members);
	free(forest);
}

/* --- steps ---------------------------------------------------------------- */

static uint32_t take(const struct forest *forest, struct chain *chain)
{
	return forest->request->callers_first ? chain_last(chain)
					      : chain_next(chain);
}

static void look_ahead(const struct forest *forest, struct cursor *cursor)
{
	unsigned shift;

	cursor->ahead = 0;
	for (shift = 0; shift < 64; shift += forest->ahead_bits) {
		uint64_t ahead = AHEAD_ENDED;

		if (!chain_is_empty(&cursor->rest))
			ahead = forest->ahead_of[take(forest, &cursor->rest)];
		cursor->ahead |= ahead << shift;
		if (ahead < AHEAD_FIRST)
			break;
	}
}

static uint32_t next_of(const struct forest *forest, struct cursor *cursor)
{
	uint64_t mask = (UINT64_C(1) << forest->ahead_bits) - 1;

	if (unlikely((cursor->ahead & mask) == AHEAD_UNKNOWN))
		look_ahead(forest, cursor);
	return (uint32_t)(cursor->ahead & mask);
}

/* --- groups --------------------------------------------------------------- */

static struct group *group_of(
	const struct forest *forest, struct groups *groups, uint32_t ahead)
{
	return &groups->list.at[forest->group_of[ahead]];
}

/* Counts N cursors by what comes next; those that ended, in NODE. */
static void count_groups(struct forest *forest, struct cursor *at, size_t n,
	struct tree_node *node, struct groups *groups)
{
	struct group *group;
	size_t i;

	array_push(&groups->list); /* of those that go no further */
	for (i = 0; i < n; i++) {
		uint32_t ahead = next_of(forest, &at[i]);

		if (ahead == AHEAD_ENDED) {
			node->ends += at[i].period;
			node->samples_at_ends += at[i].samples;
		} else {
			groups->period += at[i].period;
		}
		if (ahead >= AHEAD_FIRST && !forest->group_of[ahead]) {
			forest->group_of[ahead] = (uint32_t)groups->list.n;
			array_push(&groups->list)->ahead = ahead;
		}
		group = group_of(forest, groups, ahead);
		group->n++;
		group->period += at[i].period;
		group->samples += at[i].samples;
	}
}

/*
 * Puts cursors into groups, one behind the other, by swapping each to where its
 * group has room, and moves each past what its group is of.
 */
static void partition(
	struct forest *forest, struct cursor *at, struct groups *groups)
{
	size_t place = 0, end = 0;

	array_each(&groups->list, group) {
		group->at = place;
		place += group->n;
	}
	array_each(&groups->list, group) {
		end += group->n;
		while (group->at < end) {
			struct cursor cursor = at[group->at];
			struct group *other = group_of(
				forest, groups, next_of(forest, &cursor));

			at[group->at] = at[other->at];
			cursor.ahead >>= forest->ahead_bits;
			at[other->at++] = cursor;
		}
	}
	array_each(&groups->list, group) {
		group->at -= group->n;
		forest->group_of[group->ahead] = 0;
	}
}

static int compare_groups(const void *a, const void *b, void *data)
{
	const struct group *left = a, *right = b;
	const struct forest *forest = data;

	if (left->period != right->period)
		return COMPARE(right->period, left->period);
	return strcmp(resolver_symbol_name(forest->names->resolver,
			      forest->locations.at[left->ahead]),
		resolver_symbol_name(forest->names->resolver,
			forest->locations.at[right->ahead]));
}

/* --- the tree ------------------------------------------------------------- */

/* Appends a node for GROUP below PARENT, behind its child PREVIOUS. */
static uint32_t add_node(struct forest *forest, const struct group *group,
	uint32_t parent, uint32_t previous)
{
	struct tree *tree = forest->tree;
	uint32_t new = (uint32_t)tree->nodes.n;

	*array_push(&tree->nodes) = (struct tree_node){
		.location = forest->locations.at[group->ahead],
		.parent = parent,
		.child = TREE_NONE,
		.sibling = TREE_NONE,
		.period = group->period,
		.samples = group->samples,
	};
	if (previous == TREE_NONE)
		tree->nodes.at[parent].child = new;
	else
		tree->nodes.at[previous].sibling = new;
	return new;
}

/* Of branches that have PERIOD together: the least that one must have. */
static uint64_t least_period(
	const struct tree_request *request, uint64_t period)
{
	double exact = (double)period * request->share;
	uint64_t least = (uint64_t)exact;

	if ((double)least < exact)
		least++;
	least = MAX(least, request->limit);
	return MAX(least, (uint64_t)1);
}

static void grow(
	struct forest *forest, uint32_t node, struct cursor *at, size_t n)
{
	uint32_t previous = TREE_NONE;
	struct groups groups = { 0 };
	uint64_t least;

	count_groups(forest, at, n, &forest->tree->nodes.at[node], &groups);
	partition(forest, at, &groups);
	least = least_period(forest->request, groups.period);
	qsort_r(groups.list.at, groups.list.n, sizeof(struct group),
		compare_groups, forest);
	array_each(&groups.list, group) {
		if (group->period < least)
			break;
		if (group->ahead < AHEAD_FIRST)
			continue;
		previous = add_node(forest, group, node, previous);
		grow(forest, previous, at + group->at, group->n);
	}
	array_free(&groups.list);
}

/* Few locations have enough to be in a branch: they get small numbers. */
static void number_locations(struct forest *forest)
{
	uint32_t n = resolver_n_locations(forest->names->resolver), i;
	const uint64_t *through = forest->hist->through.at;

	array_clear(&forest->locations);
	for (i = 0; i < AHEAD_FIRST; i++)
		array_push(&forest->locations);
	for (i = 0; i < n; i++) {
		forest->ahead_of[i] = AHEAD_SMALL;
		if (through && through[i] < forest->limit)
			continue;
		forest->ahead_of[i] = (uint32_t)forest->locations.n;
		*array_push(&forest->locations) = i;
	}
	/* Most trees end after four levels: to look further would be in vain. */
	forest->ahead_bits = forest->locations.n <= UINT16_MAX ? 16 : 32;
}

/* What all rows of a histogram have in common. */
static void take_up(struct forest *forest, const struct hist *hist,
	uint64_t limit, bool callers_first)
{
	if (forest->hist == hist && forest->limit == limit &&
		forest->callers_first == callers_first)
		return;
	forest->hist = hist;
	forest->limit = limit;
	forest->callers_first = callers_first;
	number_locations(forest);
	members_destroy(forest->members);
	forest->members = members_create(
		forest->scan, hist, limit, callers_first);
}

static void add_cursor(
	void *data, const struct stack *stack, const struct chain *part)
{
	struct forest *forest = data;
	struct tree_node *all = &forest->tree->nodes.at[0];

	*array_push(&forest->cursors) = (struct cursor){
		.period = stack->period,
		.samples = stack->samples,
		.rest = *part,
	};
	all->period += stack->period;
	all->samples += stack->samples;
}

void tree_build(struct forest *forest, const struct hist *hist,
	const struct row *row, const struct tree_request *request,
	struct tree *ret)
{
	*ret = (struct tree){ 0 };
	*array_push(&ret->nodes) = (struct tree_node){ .parent = TREE_NONE,
		.child = TREE_NONE,
		.sibling = TREE_NONE };
	forest->request = request;
	forest->tree = ret;
	take_up(forest, hist, MAX(request->limit, (uint64_t)1),
		request->callers_first);
	if (MAX(row->children, row->self) < forest->limit)
		return;
	array_clear(&forest->cursors);
	members_visit(forest->members, row, add_cursor, forest);
	grow(forest, 0, forest->cursors.at, forest->cursors.n);
}

void tree_deinit(struct tree *tree)
{
	array_free(&tree->nodes);
}
