/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/unwind/stitch.h"

/*
 * Limit of the distance in time to a single matching sample. Beyond 20 ms, one
 * of fifty single matches was of another call.
 */
#define ALONE_NS (NSEC_PER_SEC * 15 / 1000)

/* Limit of compared callers, for hostile stacks. */
#define COMPARED_MAX 4096u

struct stitch_group_end {
	struct stitch *in;
	uint32_t end;
};

/* A time at which a frame with known callers was sampled. */
struct stitch_point {
	uint64_t time;
	const struct stitch *in;
	uint32_t node;
};

/*
 * A frame that several stacks have: truncated stacks that end with the frame,
 * and samples in which the frame has callers.
 */
struct stitch_group {
	struct stack_thread thread;
	struct stack_frame frame;
	ARRAY(struct stitch_group_end) ends;
	ARRAY(struct stitch_point)
	points; /* samples of the frame with known callers;
	                             * sorted by time before use */
};

struct stitch_groups {
	ARRAY(struct stitch_group) list;
	struct hash_index index;
};

void stitch_deinit(struct stitch *stitch)
{
	array_each(&stitch->threads, thread)
		array_free(&thread->path);
	array_free(&stitch->threads);
	array_free(&stitch->nodes);
	array_free(&stitch->ends);
	hash_free(&stitch->by_thread);
}

static uint64_t hash_stitch_thread(struct stack_thread thread)
{
	return hash_words(thread.tid, thread.space);
}

static uint32_t intern_stitch_thread(
	struct stitch *stitch, struct stack_thread thread)
{
	uint64_t hash = hash_stitch_thread(thread);
	uint32_t n = (uint32_t)stitch->threads.n;

	hash_each_match(&stitch->by_thread, hash, i)
		if (stack_frames_are_of_same_thread(
			    stitch->threads.at[i].thread, thread))
			return i;
	hash_insert(&stitch->by_thread, hash, n);
	array_push(&stitch->threads)->thread = thread;
	return n;
}

/* Adds frame I of STACK, whose caller is the node CALLER. Returns its node. */
static uint32_t add_stitch_node(struct stitch *stitch,
	const struct stack_frames *stack, size_t i, struct stitch_node node)
{
	node.frame = stack_frames_at(stack, i);
	node.last = node.first;
	*array_push(&stitch->nodes) = node;
	return (uint32_t)stitch->nodes.n - 1;
}

/* Extends the times of NODE by TIME. Returns false if NODE is not FRAME. */
static bool extend_node_times(
	struct stitch_node *node, struct stack_frame frame, uint64_t time)
{
	if (!stack_frames_are_same(node->frame, frame))
		return false;
	node->first = MIN(node->first, time);
	node->last = MAX(node->last, time);
	return true;
}

/* Frame 0, the sampled frame, is not added: it has no callees. */
void stitch_add_complete(
	struct stitch *stitch, const struct stack_frames *stack, uint64_t time)
{
	uint32_t number = intern_stitch_thread(stitch, stack->thread),
		 caller = STITCH_NONE;
	struct stitch_thread *thread = &stitch->threads.at[number];
	size_t i = stack->n, same = 0;

	while (i > 1 && same < thread->path.n &&
		extend_node_times(&stitch->nodes.at[thread->path.at[same]],
			stack_frames_at(stack, i - 1), time)) {
		caller = thread->path.at[same++];
		i--;
	}
	thread->path.n = same;
	while (i-- > 1) {
		caller = add_stitch_node(stitch, stack, i,
			(struct stitch_node){ .first = time,
				.caller = caller,
				.end = STITCH_NONE,
				.thread = number });
		*array_push(&thread->path) = caller;
	}
}

uint32_t stitch_add_truncated(
	struct stitch *stitch, const struct stack_frames *stack, uint64_t time)
{
	uint32_t thread = intern_stitch_thread(stitch, stack->thread),
		 caller = STITCH_NONE;
	uint32_t end = (uint32_t)stitch->ends.n;
	size_t i;

	for (i = stack->n; i-- > 1;)
		caller = add_stitch_node(stitch, stack, i,
			(struct stitch_node){ .first = time,
				.caller = caller,
				.end = end,
				.thread = thread });
	*array_push(&stitch->ends) = (struct stitch_end){
		.node = stack->n > 1 ? caller - (uint32_t)(stack->n - 2)
				     : STITCH_NONE,
		.like = STITCH_NONE,
	};
	return end;
}

/*
 * Returns the group of NODE's frame, or NULL. Sets *HASH_RET to its hash in the
 * index.
 */
static struct stitch_group *find_frame_group(const struct stitch_groups *groups,
	const struct stitch *stitch, const struct stitch_node *node,
	uint64_t *hash_ret)
{
	struct stack_thread thread = stitch->threads.at[node->thread].thread;

	*hash_ret = hash_words(
		hash_words(node->frame.slot, hash_stitch_thread(thread)),
		node->frame.address);
	hash_each_match(&groups->index, *hash_ret, i) {
		struct stitch_group *group = &groups->list.at[i];

		if (stack_frames_are_same(group->frame, node->frame) &&
			stack_frames_are_of_same_thread(group->thread, thread))
			return group;
	}
	return NULL;
}

/*
 * Adds the outermost frames of truncated stacks, for which stitch_finish()
 * searches equal frames of other samples.
 */
static void add_truncated_ends(
	struct stitch_groups *groups, struct stitch *stitch)
{
	uint32_t i;

	for (i = 0; i < stitch->ends.n; i++) {
		const struct stitch_node *node;
		struct stitch_group *group;
		uint64_t hash;

		if (stitch->ends.at[i].node == STITCH_NONE)
			continue;
		node = &stitch->nodes.at[stitch->ends.at[i].node];
		group = find_frame_group(groups, stitch, node, &hash);
		if (!group) {
			hash_insert(
				&groups->index, hash, (uint32_t)groups->list.n);
			group = array_push(&groups->list);
			group->thread = stitch->threads.at[node->thread].thread;
			group->frame = node->frame;
		}
		*array_push(&group->ends) =
			(struct stitch_group_end){ stitch, i };
	}
}

/* Adds, to each group, the samples in which the group's frame has callers. */
static void add_frame_points(
	struct stitch_groups *groups, const struct stitch *stitch)
{
	uint32_t i;

	for (i = 0; i < stitch->nodes.n; i++) {
		const struct stitch_node *node = &stitch->nodes.at[i];
		struct stitch_group *group;
		uint64_t hash;

		if (node->caller == STITCH_NONE)
			continue;
		group = find_frame_group(groups, stitch, node, &hash);
		if (!group)
			continue;
		*array_push(&group->points) =
			(struct stitch_point){ node->first, stitch, i };
		if (node->last != node->first)
			*array_push(&group->points) =
				(struct stitch_point){ node->last, stitch, i };
	}
}

static int compare_frame_points(const void *a, const void *b)
{
	const struct stitch_point *left = a, *right = b;

	if (left->time != right->time)
		return COMPARE(left->time, right->time);
	return COMPARE(left->node, right->node);
}

static int compare_groups_by_slot(const void *a, const void *b)
{
	const struct stitch_group *left = a, *right = b;

	return COMPARE(right->frame.slot, left->frame.slot);
}

struct stitch_walk stitch_callers(const struct stitch *stitch, uint32_t end)
{
	const struct stitch_end *at = &stitch->ends.at[end];

	if (at->like == STITCH_NONE)
		return (struct stitch_walk){ stitch, STITCH_NONE };
	return (struct stitch_walk){ at->in,
		at->in->nodes.at[at->like].caller };
}

bool stitch_next(struct stitch_walk *walk, uint64_t *pc_ret)
{
	const struct stitch_node *node;

	if (walk->node == STITCH_NONE)
		return false;
	node = &walk->in->nodes.at[walk->node];
	*pc_ret = node->frame.address;
	if (node->caller == STITCH_NONE && node->end != STITCH_NONE)
		*walk = stitch_callers(walk->in, node->end);
	else
		walk->node = node->caller;
	return true;
}

/* Returns whether the frames at two points have the same callers. */
static bool have_same_callers(
	const struct stitch_point *one, const struct stitch_point *other)
{
	struct stitch_walk left = { one->in,
		one->in->nodes.at[one->node].caller };
	struct stitch_walk right = { other->in,
		other->in->nodes.at[other->node].caller };
	uint64_t left_pc = 0, right_pc = 0;
	bool has_left, has_right;
	unsigned n = 0;

	do {
		has_left = stitch_next(&left, &left_pc);
		has_right = stitch_next(&right, &right_pc);
	} while (has_left && has_right && left_pc == right_pc &&
		n++ < COMPARED_MAX);
	return has_left == has_right && left_pc == right_pc;
}

/*
 * Returns the sample whose callers GROUP's frame also had at TIME, or NULL. If
 * samples before and after TIME have the same callers, the frame had these
 * callers at TIME. A sample on one side only must be near TIME.
 */
static const struct stitch_point *choose_frame_point(
	const struct stitch_group *group, uint64_t time)
{
	size_t i = array_count_before(&group->points, x, x->time <= time);
	const struct stitch_point *before = i ? &group->points.at[i - 1] : NULL;
	const struct stitch_point *after =
		i < group->points.n ? &group->points.at[i] : NULL;

	if (before && after)
		return have_same_callers(before, after) ? before : NULL;
	if (before)
		return time - before->time <= ALONE_NS ? before : NULL;
	return after && after->time - time <= ALONE_NS ? after : NULL;
}

/*
 * Finds the callers of the truncated stacks that end with GROUP's frame. Groups
 * are finished from the outermost frames inwards, so that completed stacks can
 * complete others.
 */
static void finish_frame_group(struct stitch_group *group)
{
	size_t n = 0;

	/* Keep the points whose callers lead to the thread's start. */
	array_each(&group->points, point) {
		uint32_t last = point->in->nodes.at[point->node].end;

		if (last == STITCH_NONE ||
			point->in->ends.at[last].like != STITCH_NONE)
			group->points.at[n++] = *point;
	}
	group->points.n = n;
	array_sort(&group->points, compare_frame_points);
	array_each(&group->ends, at) {
		struct stitch_end *end = &at->in->ends.at[at->end];
		uint64_t time = at->in->nodes.at[end->node].first;
		const struct stitch_point *point =
			choose_frame_point(group, time);

		if (!point)
			continue;
		end->in = point->in;
		end->like = point->node;
	}
}

void stitch_finish(struct stitch *const *parts, size_t n)
{
	struct stitch_groups groups = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		add_truncated_ends(&groups, parts[i]);
	for (i = 0; groups.list.n && i < n; i++)
		add_frame_points(&groups, parts[i]);
	array_sort(&groups.list, compare_groups_by_slot);
	array_each(&groups.list, group)
		finish_frame_group(group);
	array_each(&groups.list, group) {
		array_free(&group->ends);
		array_free(&group->points);
	}
	array_free(&groups.list);
	hash_free(&groups.index);
}
