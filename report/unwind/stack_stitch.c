/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/stack_stitch.h"

/*
 * A frame that was seen on one side only, further away in time than this, was
 * too often another call: beyond 20 ms one of fifty.
 */
#define ALONE_NS (NSEC_PER_SEC * 15 / 1000)

/* Callers that are compared: those of hostile stacks may be any number. */
#define COMPARED_MAX 4096u

struct joins_group_end {
	struct joins *in;
	uint32_t end;
};

/* One time at which a frame was seen whose callers are known. */
struct point {
	uint64_t time;
	const struct joins *in;
	uint32_t node;
};

/* What frames have in common that are the same. */
struct group {
	uint64_t slot, pc;
	uint32_t tid, program;
	ARRAY(struct joins_group_end) ends;
	ARRAY(struct point) points; /* by time, once they are looked at */
};

struct groups {
	ARRAY(struct group) list;
	struct hash_index index;
};

void joins_deinit(struct joins *joins)
{
	array_each(&joins->threads, thread)
		array_free(&thread->path);
	array_free(&joins->threads);
	array_free(&joins->nodes);
	array_free(&joins->ends);
	hash_free(&joins->by_thread);
}

static uint32_t find_thread(
	const struct joins *joins, const struct joins_stack *stack)
{
	uint64_t hash = hash_words(stack->tid, stack->program);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&joins->by_thread, hash, &probe)) != HASH_NONE)
		if (joins->threads.at[i].tid == stack->tid &&
			joins->threads.at[i].program == stack->program)
			break;
	return i;
}

static uint32_t make_thread(
	struct joins *joins, const struct joins_stack *stack)
{
	uint32_t i = find_thread(joins, stack);
	struct joins_thread *thread;

	if (i != HASH_NONE)
		return i;
	i = (uint32_t)joins->threads.n;
	hash_insert(&joins->by_thread,
		hash_words(stack->tid, stack->program), i);
	thread = array_push(&joins->threads);
	thread->tid = stack->tid;
	thread->program = stack->program;
	return i;
}

/* Frame I of STACK, called from CALLER. */
static uint32_t add_node(struct joins *joins, const struct joins_stack *stack,
	size_t i, uint32_t caller, uint32_t end, uint32_t thread)
{
	*array_push(&joins->nodes) = (struct joins_node){
		.slot = stack->slots[i],
		.pc = stack->pcs[i],
		.first = stack->time,
		.last = stack->time,
		.caller = caller,
		.end = end,
		.thread = thread,
	};
	return (uint32_t)joins->nodes.n - 1;
}

/* False if NODE is another frame than number I of STACK. */
static bool see_again(
	struct joins_node *node, const struct joins_stack *stack, size_t i)
{
	if (node->slot != stack->slots[i] || node->pc != stack->pcs[i])
		return false;
	node->first = MIN(node->first, stack->time);
	node->last = MAX(node->last, stack->time);
	return true;
}

/* The sampled frame itself called nobody. */
void joins_add_whole(struct joins *joins, const struct joins_stack *stack)
{
	uint32_t number = make_thread(joins, stack), caller = JOINS_NONE;
	struct joins_thread *thread = &joins->threads.at[number];
	size_t i = stack->n, same = 0;

	while (i > 1 && same < thread->path.n &&
		see_again(&joins->nodes.at[thread->path.at[same]], stack,
			i - 1)) {
		caller = thread->path.at[same++];
		i--;
	}
	thread->path.n = same;
	while (i-- > 1) {
		caller = add_node(
			joins, stack, i, caller, JOINS_NONE, number);
		*array_push(&thread->path) = caller;
	}
}

uint32_t joins_add_cut(struct joins *joins, const struct joins_stack *stack)
{
	uint32_t thread = make_thread(joins, stack), caller = JOINS_NONE;
	uint32_t end = (uint32_t)joins->ends.n;
	size_t i;

	for (i = stack->n; i-- > 1;)
		caller = add_node(joins, stack, i, caller, end, thread);
	*array_push(&joins->ends) = (struct joins_end){
		.node = stack->n > 1 ? caller - (uint32_t)(stack->n - 2)
				     : JOINS_NONE,
		.next = stack->next,
		.like = JOINS_NONE,
	};
	return end;
}

static uint64_t hash_frame(
	const struct joins *joins, const struct joins_node *node)
{
	return hash_words(hash_words(node->slot,
				  joins->threads.at[node->thread].tid),
		node->pc);
}

static struct group *find_group(const struct groups *groups,
	const struct joins *joins, const struct joins_node *node,
	uint64_t hash)
{
	const struct joins_thread *thread = &joins->threads.at[node->thread];
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&groups->index, hash, &probe)) != HASH_NONE) {
		struct group *group = &groups->list.at[i];

		if (group->slot == node->slot && group->pc == node->pc &&
			group->tid == thread->tid &&
			group->program == thread->program)
			return group;
	}
	return NULL;
}

/* What is looked for: the oldest frames of stacks that were cut. */
static void add_ends(struct groups *groups, struct joins *joins)
{
	uint32_t i;

	for (i = 0; i < joins->ends.n; i++) {
		const struct joins_node *node;
		struct group *group;
		uint64_t hash;

		if (joins->ends.at[i].node == JOINS_NONE)
			continue;
		node = &joins->nodes.at[joins->ends.at[i].node];
		hash = hash_frame(joins, node);
		group = find_group(groups, joins, node, hash);
		if (!group) {
			hash_insert(&groups->index, hash,
				(uint32_t)groups->list.n);
			group = array_push(&groups->list);
			group->slot = node->slot;
			group->pc = node->pc;
			group->tid = joins->threads.at[node->thread].tid;
			group->program =
				joins->threads.at[node->thread].program;
		}
		*array_push(&group->ends) =
			(struct joins_group_end){ joins, i };
	}
}

/* Where it is seen with its callers. */
static void add_points(struct groups *groups, const struct joins *joins)
{
	uint32_t i;

	for (i = 0; i < joins->nodes.n; i++) {
		const struct joins_node *node = &joins->nodes.at[i];
		struct group *group;

		if (node->caller == JOINS_NONE)
			continue;
		group = find_group(
			groups, joins, node, hash_frame(joins, node));
		if (!group)
			continue;
		*array_push(&group->points) =
			(struct point){ node->first, joins, i };
		if (node->last != node->first)
			*array_push(&group->points) =
				(struct point){ node->last, joins, i };
	}
}

static int compare_points(const void *a, const void *b)
{
	const struct point *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->node, right->node);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	return COMPARE(right->slot, left->slot);
}

/* Whether the callers from POINT on lead to a beginning. */
static bool is_whole(const struct point *point)
{
	uint32_t end = point->in->nodes.at[point->node].end;

	return end == JOINS_NONE ||
		point->in->ends.at[end].like != JOINS_NONE;
}

static void drop_dead_ends(struct group *group)
{
	size_t n = 0;

	array_each(&group->points, point)
		if (is_whole(point))
			group->points.at[n++] = *point;
	group->points.n = n;
}

/* The frames must have been called from the same place, too. */
static bool fits(const struct joins_end *end, const struct point *point)
{
	const struct joins_node *nodes = point->in->nodes.at;

	return !end->next ||
		nodes[nodes[point->node].caller].slot == end->next;
}

static struct joins_walk walk_from(const struct joins *joins, uint32_t end)
{
	const struct joins_end *at = &joins->ends.at[end];

	if (at->like == JOINS_NONE)
		return (struct joins_walk){ joins, JOINS_NONE };
	return (struct joins_walk){ at->in,
		at->in->nodes.at[at->like].caller };
}

struct joins_walk joins_callers(const struct joins *joins, uint32_t end)
{
	return walk_from(joins, end);
}

bool joins_next(struct joins_walk *walk, uint64_t *pc_ret)
{
	const struct joins_node *node;

	if (walk->node == JOINS_NONE)
		return false;
	node = &walk->in->nodes.at[walk->node];
	*pc_ret = node->pc;
	if (node->caller == JOINS_NONE && node->end != JOINS_NONE)
		*walk = walk_from(walk->in, node->end);
	else
		walk->node = node->caller;
	return true;
}

/* Whether the frames at two points have the same callers. */
static bool have_same_callers(
	const struct point *one, const struct point *other)
{
	struct joins_walk left = { one->in,
		one->in->nodes.at[one->node].caller };
	struct joins_walk right = { other->in,
		other->in->nodes.at[other->node].caller };
	uint64_t left_pc = 0, right_pc = 0;
	bool has_left, has_right;
	unsigned n = 0;

	do {
		has_left = joins_next(&left, &left_pc);
		has_right = joins_next(&right, &right_pc);
	} while (has_left && has_right && left_pc == right_pc &&
		n++ < COMPARED_MAX);
	return has_left == has_right && left_pc == right_pc;
}

/*
 * The frame was seen before and afterwards: if it had the same callers then, it
 * has them in between. Seen on one side only, it must have been just now.
 */
static const struct point *choose(
	const struct group *group, uint64_t time, const struct joins_end *end)
{
	size_t i = array_count_before(&group->points, x, x->time <= time);
	const struct point *before = NULL, *after = NULL;

	if (i && fits(end, &group->points.at[i - 1]))
		before = &group->points.at[i - 1];
	if (i < group->points.n && fits(end, &group->points.at[i]))
		after = &group->points.at[i];
	if (before && after)
		return have_same_callers(before, after) ? before : NULL;
	if (before)
		return time - before->time <= ALONE_NS ? before : NULL;
	return after && after->time - time <= ALONE_NS ? after : NULL;
}

/* Callers lie higher: whether they are whole was found out before. */
static void finish_group(struct group *group)
{
	drop_dead_ends(group);
	array_sort(&group->points, compare_points);
	array_each(&group->ends, at) {
		struct joins_end *end = &at->in->ends.at[at->end];
		uint64_t time = at->in->nodes.at[end->node].first;
		const struct point *point = choose(group, time, end);

		if (!point)
			continue;
		end->in = point->in;
		end->like = point->node;
	}
}

void joins_finish(struct joins *const *parts, size_t n)
{
	struct groups groups = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		add_ends(&groups, parts[i]);
	for (i = 0; groups.list.n && i < n; i++)
		add_points(&groups, parts[i]);
	array_sort(&groups.list, compare_groups);
	array_each(&groups.list, group)
		finish_group(group);
	array_each(&groups.list, group) {
		array_free(&group->ends);
		array_free(&group->points);
	}
	array_free(&groups.list);
	hash_free(&groups.index);
}
