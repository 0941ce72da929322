/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/outer_frame_cache.h"

#include "common/util/alloc.h"
#include "common/util/array.h"

#define STACKS 8u /* number of cached stacks of each thread */
/* Cached frames of each stack: enough for the part beyond a copy of 64 KiB. */
#define FRAMES 256u
/* Cached frames of a deep stack, while EXTRA_FRAMES_MAX is not exceeded. */
#define FRAMES_MAX 8192u
#define EXTRA_FRAMES_MAX MIB(1) /* frames beyond FRAMES, in all stacks */

/* In a recursion, the outermost frames in so many bytes of stack must match. */
#define RECURSION_MATCH_BYTES KIB(4)

#define NO_SPACE UINT64_MAX

struct cached_stack {
	uint32_t n, room;	    /* frames; n 0: empty */
	struct stack_frame *frames; /* owned; innermost first */
};

struct cached_thread {
	struct stack_thread thread;
	uint32_t next; /* the stack to overwrite next, modulo STACKS */
	struct cached_stack stacks[STACKS];
};

struct outer_frames {
	struct cached_thread
		*threads[OUTER_FRAMES_BUCKETS]; /* by bucket; NULL: unused */
	size_t room; /* frames beyond FRAMES in all stacks; atomic */
};

uint32_t outer_frames_bucket(uint32_t tid)
{
	return tid & (OUTER_FRAMES_BUCKETS - 1);
}

struct outer_frames *outer_frames_create(void)
{
	return xcalloc(1, sizeof(struct outer_frames));
}

void outer_frames_destroy(struct outer_frames *outer)
{
	size_t i, j;

	for (i = 0; outer && i < OUTER_FRAMES_BUCKETS; i++) {
		for (j = 0; outer->threads[i] && j < STACKS; j++)
			free(outer->threads[i]->stacks[j].frames);
		free(outer->threads[i]);
	}
	free(outer);
}

void outer_frames_restart(struct outer_frames *outer)
{
	size_t i;

	for (i = 0; i < OUTER_FRAMES_BUCKETS; i++)
		if (outer->threads[i])
			outer->threads[i]->thread.space = NO_SPACE;
}

/* Returns the cached stacks of THREAD, or NULL if there are none. */
static struct cached_thread *find_cached_thread(
	const struct outer_frames *outer, struct stack_thread thread)
{
	struct cached_thread *cached =
		outer->threads[outer_frames_bucket(thread.tid)];

	return cached && stack_frames_are_of_same_thread(cached->thread, thread)
		? cached
		: NULL;
}

/* Gives THREAD the place of the thread in its bucket, and no stacks. */
static struct cached_thread *replace_cached_thread(
	struct outer_frames *outer, struct stack_thread thread)
{
	struct cached_thread **place =
		&outer->threads[outer_frames_bucket(thread.tid)];
	size_t i;

	if (!*place)
		*place = xcalloc(1, sizeof(**place));
	(*place)->thread = thread;
	(*place)->next = 0;
	for (i = 0; i < STACKS; i++)
		(*place)->stacks[i].n = 0;
	return *place;
}

/* Extends CACHED for N frames, as far as FRAMES_MAX and EXTRA_FRAMES_MAX allow. */
static void extend_cached_stack(
	struct outer_frames *outer, struct cached_stack *cached, size_t n)
{
	size_t least = MAX(FRAMES, cached->room), room = FRAMES;

	while (room < n && room < FRAMES_MAX)
		room *= 2;
	if (room <= cached->room)
		return;
	if (__atomic_add_fetch(&outer->room, room - least, __ATOMIC_RELAXED) >
		EXTRA_FRAMES_MAX) {
		__atomic_sub_fetch(
			&outer->room, room - least, __ATOMIC_RELAXED);
		room = least;
	}
	cached->frames =
		xrealloc(cached->frames, room * sizeof(*cached->frames));
	cached->room = (uint32_t)room;
}

void outer_frames_add(
	struct outer_frames *outer, const struct stack_frames *stack)
{
	struct cached_thread *thread = find_cached_thread(outer, stack->thread);
	struct cached_stack *cached;
	size_t skipped, i;

	if (!thread)
		thread = replace_cached_thread(outer, stack->thread);
	cached = &thread->stacks[thread->next++ % STACKS];
	extend_cached_stack(outer, cached, stack->n);
	skipped = stack->n - MIN(stack->n, (size_t)cached->room);
	cached->n = (uint32_t)(stack->n - skipped);
	for (i = 0; i < cached->n; i++)
		cached->frames[i] = stack_frames_at(stack, skipped + i);
}

/*
 * Returns the first frame of CACHED whose slot is not below SLOT. Slots ascend
 * from the innermost to the outermost frame.
 */
static size_t find_frame_at_slot(
	const struct cached_stack *cached, uint64_t slot)
{
	return sorted_count_before(
		cached->frames, cached->n, frame, frame->slot < slot);
}

/* Frame 0, the sampled address, has no slot and is not compared. */
size_t outer_frames_min_match(
	const struct stack_frames *stack, bool *is_recursive_ret)
{
	size_t outermost = stack->n - 1, n = 1, i;

	*is_recursive_ret = false;
	if (!outermost)
		return 0;
	for (i = 1; i < outermost && !*is_recursive_ret; i++)
		*is_recursive_ret =
			stack->addresses[i] == stack->addresses[outermost];
	while (*is_recursive_ret && n < outermost &&
		stack->slots[outermost] - stack->slots[outermost - n] <
			RECURSION_MATCH_BYTES)
		n++;
	return n;
}

/*
 * Returns true if frame AT of CACHED is the outermost frame of STACK, and the
 * frames that it called prove that both frames belong to the same call.
 */
static bool is_same_call(const struct cached_stack *cached, size_t at,
	const struct stack_frames *stack)
{
	bool is_recursive;
	size_t n = outer_frames_min_match(stack, &is_recursive), i;

	for (i = 0; i < n; i++) {
		size_t own = stack->n - 1 - i;

		if (i > at ||
			!stack_frames_are_same(cached->frames[at - i],
				stack_frames_at(stack, own)))
			return false;
	}
	return n > 0;
}

size_t outer_frames_find(const struct outer_frames *outer,
	const struct stack_frames *stack, uint64_t *ret, size_t room)
{
	const struct cached_thread *thread =
		find_cached_thread(outer, stack->thread);
	size_t i;

	for (i = 1; thread && i <= STACKS; i++) {
		const struct cached_stack *cached =
			&thread->stacks[(thread->next - i) % STACKS];
		size_t at =
			find_frame_at_slot(cached, stack->slots[stack->n - 1]);
		size_t n;

		if (at + 1 >= cached->n || !is_same_call(cached, at, stack))
			continue;
		n = cached->n - ++at;
		if (n > room)
			return 0;
		for (i = 0; i < n; i++)
			ret[i] = cached->frames[at + i].address;
		return n;
	}
	return 0;
}

/*
 * Returns true if the frames of CACHED from AT on are the frames of STACK from
 * OWN on, and the frames AT - 1 and OWN - 1, which they called, have the same
 * slot.
 */
static bool has_same_callers(const struct cached_stack *cached, size_t at,
	const struct stack_frames *stack, size_t own)
{
	const struct stack_frames part = {
		.addresses = stack->addresses, .slots = stack->slots, .n = own
	};
	bool is_recursive;
	size_t i;

	if (!at || cached->n - at != stack->n - own ||
		cached->frames[at - 1].slot != stack->slots[own - 1])
		return false;
	outer_frames_min_match(&part, &is_recursive);
	if (is_recursive && !is_same_call(cached, at - 1, &part))
		return false;
	for (i = 0; own + i < stack->n; i++)
		if (!stack_frames_are_same(cached->frames[at + i],
			    stack_frames_at(stack, own + i)))
			return false;
	return true;
}

bool outer_frames_confirm(const struct outer_frames *outer,
	const struct stack_frames *stack, size_t own)
{
	const struct cached_thread *thread =
		find_cached_thread(outer, stack->thread);
	size_t i;

	for (i = 0; thread && i < STACKS; i++) {
		const struct cached_stack *cached = &thread->stacks[i];

		if (has_same_callers(cached,
			    find_frame_at_slot(cached, stack->slots[own]),
			    stack, own))
			return true;
	}
	return false;
}

bool outer_frames_last_has(const struct outer_frames *outer,
	struct stack_thread thread, struct stack_frame frame)
{
	const struct cached_thread *cached = find_cached_thread(outer, thread);
	const struct cached_stack *last;
	size_t at;

	if (!cached)
		return false;
	last = &cached->stacks[(cached->next - 1) % STACKS];
	at = find_frame_at_slot(last, frame.slot);
	return at + 1 < last->n &&
		stack_frames_are_same(last->frames[at], frame);
}
