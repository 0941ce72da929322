/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/tree.h"

#include "common/util/alloc.h"

/* What stands for a location on the way through chains; 0: look again. */
enum {
	AHEAD_UNKNOWN,
	AHEAD_ENDED,
	AHEAD_SMALL, /* one that no branch can have: it is below the limit */
	AHEAD_APART, /* the stacks go on in different ways */
	AHEAD_FIRST, /* and up: locations that branches may have */
};

/*
 * Where a tree is in stacks that go on alike. The next locations stand in
 * AHEAD, a few bits for each, so that most steps touch no other memory.
 */
struct cursor {
	uint64_t ahead;
	uint64_t period, samples; /* modulo 2^64: see row_stacks.h */
	struct chain rest; /* behind what is in AHEAD, until BRANCH ends */
	uint32_t branch;
};

struct group {
	uint32_t ahead;
	size_t n, at;
	uint64_t period, samples;
};

struct groups {
	ARRAY(struct group) list; /* the first one of what isn't followed */
	uint64_t period; /* of all that went on, small ones too */
};

struct tree_grower {
	const struct tree_ground *ground;
	struct tree *tree;  /* that grows */
	uint32_t *group_of; /* by what stands for a location: which, + 1 */
	ARRAY(struct cursor) cursors;
};

/* --- steps ---------------------------------------------------------------- */

static void look_ahead(const struct tree_ground *ground, struct cursor *cursor)
{
	unsigned shift;

	cursor->ahead = 0;
	for (shift = 0; shift < 64; shift += ground->ahead_bits) {
		uint64_t ahead = cursor->branch & PREFIXES_LEAF ? AHEAD_ENDED
								: AHEAD_APART;

		if (!chain_is_empty(&cursor->rest))
			ahead = ground->ahead_of[ground->hist->prefixes->callers_first
					? chain_last(&cursor->rest)
					: chain_next(&cursor->rest)];
		cursor->ahead |= ahead << shift;
		if (ahead < AHEAD_FIRST)
			break;
	}
}

static uint32_t next_of(const struct tree_ground *ground, struct cursor *cursor)
{
	uint64_t mask = (UINT64_C(1) << ground->ahead_bits) - 1;

	if (unlikely((cursor->ahead & mask) == AHEAD_UNKNOWN))
		look_ahead(ground, cursor);
	return (uint32_t)(cursor->ahead & mask);
}

/* The cursor NUMBER becomes one for each way that its stacks go. */
static void take_apart(struct tree_grower *grower, size_t number)
{
	const struct prefixes *prefixes = grower->ground->hist->prefixes;
	const struct cursor whole = grower->cursors.at[number];
	uint32_t size = prefixes->at.at[whole.branch].size, branch;
	struct prefixes_visit visit = prefixes_visit(prefixes, whole.branch);
	struct cursor *cursor = &grower->cursors.at[number];

	while (prefixes_next(prefixes, &visit, &branch)) {
		const struct stack *stack;

		if (!cursor)
			cursor = array_push(&grower->cursors);
		*cursor = (struct cursor){ .branch = branch,
			.rest = prefixes_part(prefixes, branch, size) };
		if (branch & PREFIXES_LEAF) {
			stack = prefixes_stack(prefixes,
				prefixes_leaf_of(prefixes, branch));
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

static struct group *group_of(
	const struct tree_grower *grower, struct groups *groups, uint32_t ahead)
{
	return &groups->list.at[grower->group_of[ahead]];
}

/* Counts cursor NUMBER by what comes next; if it ended, in NODE. */
static void count_cursor(struct tree_grower *grower, size_t number,
	struct tree_node *node, struct groups *groups)
{
	const struct tree_ground *ground = grower->ground;
	uint32_t ahead = next_of(ground, &grower->cursors.at[number]);
	const struct cursor *cursor;
	struct group *group;

	while (unlikely(ahead == AHEAD_APART)) {
		take_apart(grower, number);
		ahead = next_of(ground, &grower->cursors.at[number]);
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
	group = group_of(grower, groups, ahead);
	group->n++;
	group->period += cursor->period;
	group->samples += cursor->samples;
}

/* Two functions of one name have different addresses. */
static int compare_locations(
	struct resolver *resolver, uint32_t a, uint32_t b)
{
	const struct location *left = resolver_location(resolver, a);
	const struct location *right = resolver_location(resolver, b);
	int order = strcmp(resolver_symbol_name(resolver, a),
		resolver_symbol_name(resolver, b));

	if (order)
		return order;
	if (left->start != right->start)
		return COMPARE(left->start, right->start);
	return COMPARE(left->place, right->place);
}

static int compare_groups(const void *a, const void *b, void *data)
{
	const struct group *left = a, *right = b;
	const struct tree_grower *grower = data;

	if (left->period != right->period)
		return COMPARE(right->period, left->period);
	return compare_locations(grower->ground->names->resolver,
		grower->ground->locations.at[left->ahead],
		grower->ground->locations.at[right->ahead]);
}

/*
 * The largest first, behind the one of what isn't followed, which gets those
 * below LEAST, too. Gives how many are followed.
 */
static size_t order_groups(
	struct tree_grower *grower, struct groups *groups, uint64_t least)
{
	struct group *at = groups->list.at;
	size_t n = groups->list.n, followed, i;

	qsort_r(at + 1, n - 1, sizeof(*at), compare_groups, grower);
	for (i = 1; i < n && at[i].period >= least; i++)
		grower->group_of[at[i].ahead] = (uint32_t)i;
	followed = i - 1;
	for (; i < n; i++) {
		grower->group_of[at[i].ahead] = 0;
		at[0].n += at[i].n;
	}
	return followed;
}

/*
 * Puts the cursors from FIRST on into groups, by swapping each to where its
 * group has room, and moves each past what its group is of. The largest group
 * stands last, so that it may grow.
 */
static void partition(struct tree_grower *grower, struct groups *groups,
	size_t followed, size_t first)
{
	const struct tree_ground *ground = grower->ground;
	struct cursor *at = grower->cursors.at;
	size_t end = first, i;

	for (i = 0; i <= followed; i++) {
		struct group *group =
			&groups->list.at[i ? followed + 1 - i : 0];

		group->at = end;
		end += group->n;
	}
	end = first;
	for (i = 0; i <= followed; i++) {
		struct group *group =
			&groups->list.at[i ? followed + 1 - i : 0];

		end += group->n;
		while (group->at < end) {
			struct cursor cursor = at[group->at];
			struct group *other = group_of(
				grower, groups, next_of(ground, &cursor));

			at[group->at] = at[other->at];
			cursor.ahead >>= ground->ahead_bits;
			at[other->at++] = cursor;
		}
		group->at -= group->n;
	}
	array_each(&groups->list, group)
		grower->group_of[group->ahead] = 0;
}

/* --- the tree ------------------------------------------------------------- */

/* Appends a node for GROUP below PARENT, behind its child PREVIOUS. */
static uint32_t add_node(struct tree_grower *grower, const struct group *group,
	uint32_t parent, uint32_t previous)
{
	struct tree *tree = grower->tree;
	uint32_t new = (uint32_t)tree->nodes.n;

	*array_push(&tree->nodes) = (struct tree_node){
		.location = grower->ground->locations.at[group->ahead],
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

/* The cursors from FIRST on, up to the last one, have come to NODE. */
static void grow(struct tree_grower *grower, uint32_t node, size_t first)
{
	uint32_t previous = TREE_NONE;
	struct groups groups = { 0 };
	size_t followed, i;

	array_push(&groups.list);
	for (i = first; i < grower->cursors.n; i++)
		count_cursor(
			grower, i, &grower->tree->nodes.at[node], &groups);
	followed = order_groups(grower, &groups,
		least_period(&grower->ground->request, groups.period));
	partition(grower, &groups, followed, first);
	for (i = 1; i <= followed; i++) {
		const struct group *group = &groups.list.at[i];

		previous = add_node(grower, group, node, previous);
		grow(grower, previous, group->at);
		grower->cursors.n = group->at;
	}
	array_free(&groups.list);
}

/* --- what trees have in common -------------------------------------------- */

/* By the first location of each what may be in a branch, or more than that. */
static uint64_t *sum_branches(
	const struct hist *hist, const uint32_t *first_of, size_t n)
{
	uint64_t *through = xcalloc(n, sizeof(*through));
	size_t i;

	for (i = 0; i < MIN(n, hist->through.n); i++)
		if (__builtin_add_overflow(through[first_of[i]],
			    hist->through.at[i], &through[first_of[i]]))
			through[first_of[i]] = UINT64_MAX;
	return through;
}

/* Few locations have enough to be in a branch: they get small numbers. */
static void number_locations(struct tree_ground *ground)
{
	struct resolver *resolver = ground->names->resolver;
	size_t n = resolver_n_locations(resolver), i;
	_cleanup_free_ uint32_t *first_of =
		branches_find(resolver, ground->request.key);
	_cleanup_free_ uint64_t *through =
		sum_branches(ground->hist, first_of, n);

	ground->ahead_of = xcalloc(n, sizeof(*ground->ahead_of));
	for (i = 0; i < AHEAD_FIRST; i++)
		array_push(&ground->locations);
	for (i = 0; i < n; i++) {
		ground->ahead_of[i] = ground->ahead_of[first_of[i]];
		if (first_of[i] != i)
			continue;
		ground->ahead_of[i] = AHEAD_SMALL;
		if (through[i] < ground->limit)
			continue;
		ground->ahead_of[i] = (uint32_t)ground->locations.n;
		*array_push(&ground->locations) = (uint32_t)i;
	}
	/* Most trees end after four levels: to look further would be in vain. */
	ground->ahead_bits = ground->locations.n <= UINT16_MAX ? 16 : 32;
}

void tree_ground_init(const struct field_names *names,
	const struct hist *hist, const struct tree_request *request,
	struct tree_ground *ret)
{
	*ret = (struct tree_ground){
		.names = names,
		.hist = hist,
		.request = *request,
		.limit = MAX(request->limit, (uint64_t)1),
	};
	number_locations(ret);
	if (ret->locations.n == AHEAD_FIRST)
		return;
	ret->members = members_create(hist, ret->limit);
}

void tree_ground_deinit(struct tree_ground *ground)
{
	free(ground->ahead_of);
	array_free(&ground->locations);
	members_destroy(ground->members);
}

struct tree_grower *tree_grower_create(const struct tree_ground *ground)
{
	struct tree_grower *grower = xcalloc(1, sizeof(*grower));

	grower->ground = ground;
	grower->group_of = xcalloc(
		ground->locations.n, sizeof(*grower->group_of));
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

static void add_cursor(void *data, const struct member *member)
{
	struct tree_grower *grower = data;
	struct tree_node *all = &grower->tree->nodes.at[0];

	*array_push(&grower->cursors) = (struct cursor){
		.period = member->period,
		.samples = member->samples,
		.rest = member->part,
		.branch = member->branch,
	};
	all->period += member->period;
	all->samples += member->samples;
}

void tree_grow(
	struct tree_grower *grower, const struct row *row, struct tree *ret)
{
	const struct tree_ground *ground = grower->ground;

	*ret = (struct tree){ 0 };
	*array_push(&ret->nodes) = (struct tree_node){ .parent = TREE_NONE,
		.child = TREE_NONE,
		.sibling = TREE_NONE };
	if (MAX(row->children, row->self) < ground->limit ||
		ground->locations.n == AHEAD_FIRST)
		return;
	grower->tree = ret;
	array_clear(&grower->cursors);
	members_visit(ground->members, row, add_cursor, grower);
	grow(grower, 0, 0);
}

void tree_deinit(struct tree *tree)
{
	array_free(&tree->nodes);
}
