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
	uint32_t n, room; /* frames; n 0: empty */
	struct cached_frame {
		uint64_t slot, address;
	} * frames; /* owned; innermost first */
};

struct cached_thread {
	uint32_t tid;
	uint64_t space;
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
	size_t i;

	if (!outer)
		return;
	for (i = 0; i < OUTER_FRAMES_BUCKETS * STACKS; i++)
		if (outer->threads[i / STACKS])
			free(outer->threads[i / STACKS]
					->stacks[i % STACKS]
					.frames);
	for (i = 0; i < OUTER_FRAMES_BUCKETS; i++)
		free(outer->threads[i]);
	free(outer);
}

void outer_frames_restart(struct outer_frames *outer)
{
	size_t i;

	for (i = 0; i < OUTER_FRAMES_BUCKETS; i++)
		if (outer->threads[i])
			outer->threads[i]->space = NO_SPACE;
}

static void reset_thread(
	struct cached_thread *thread, const struct outer_frames_stack *stack)
{
	size_t i;

	thread->tid = stack->tid;
	thread->space = stack->space;
	thread->next = 0;
	for (i = 0; i < STACKS; i++)
		thread->stacks[i].n = 0;
}

void outer_frames_add(
	struct outer_frames *outer, const struct outer_frames_stack *stack)
{
	struct cached_thread **place =
		&outer->threads[outer_frames_bucket(stack->tid)];
	struct cached_stack *cached;
	size_t skipped, i;

	if (!*place) {
		*place = xcalloc(1, sizeof(**place));
		reset_thread(*place, stack);
	}
	if ((*place)->tid != stack->tid || (*place)->space != stack->space)
		reset_thread(*place, stack);
	cached = &(*place)->stacks[(*place)->next++ % STACKS];
	size_t room = FRAMES, more;
	while (room < stack->n && room < FRAMES_MAX)
		room *= 2;
	if (room > cached->room) {
		more = room - MAX(FRAMES, cached->room);
		if (__atomic_add_fetch(&outer->room, more, __ATOMIC_RELAXED) >
			EXTRA_FRAMES_MAX) {
			__atomic_sub_fetch(
				&outer->room, more, __ATOMIC_RELAXED);
			room = MAX(FRAMES, cached->room);
		}
		cached->frames = xrealloc(
			cached->frames, room * sizeof(*cached->frames));
		cached->room = (uint32_t)room;
	}
	skipped = stack->n - MIN(stack->n, (size_t)cached->room);
	cached->n = (uint32_t)(stack->n - skipped);
	for (i = 0; i < cached->n; i++) {
		cached->frames[i].slot = stack->slots[skipped + i];
		cached->frames[i].address = stack->addresses[skipped + i];
	}
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

static bool is_recursive_address(
	const struct outer_frames_stack *stack, size_t at)
{
	size_t i;

	for (i = 1; i < stack->n; i++)
		if (i != at && stack->addresses[i] == stack->addresses[at])
			return true;
	return false;
}

/* Frame 0, the sampled address, has no slot and is not compared. */
size_t outer_frames_min_match(
	const struct outer_frames_stack *stack, bool *is_recursive_ret)
{
	size_t outermost = stack->n - 1, n = 1;

	*is_recursive_ret = false;
	if (!outermost)
		return 0;
	*is_recursive_ret = is_recursive_address(stack, outermost);
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
	const struct outer_frames_stack *stack)
{
	bool is_recursive;
	size_t n = outer_frames_min_match(stack, &is_recursive), i;

	for (i = 0; i < n; i++) {
		size_t own = stack->n - 1 - i;

		if (i > at ||
			cached->frames[at - i].slot != stack->slots[own] ||
			cached->frames[at - i].address != stack->addresses[own])
			return false;
	}
	return n > 0;
}

/* Returns the index of the outermost frame of STACK in CACHED, or CACHED->n. */
static size_t find_outermost(const struct cached_stack *cached,
	const struct outer_frames_stack *stack)
{
	size_t at = find_frame_at_slot(cached, stack->slots[stack->n - 1]);

	return at < cached->n && is_same_call(cached, at, stack) ? at
								 : cached->n;
}

static const struct cached_thread *find_cached_thread(
	const struct outer_frames *outer, uint32_t tid, uint64_t space)
{
	const struct cached_thread *thread =
		outer->threads[outer_frames_bucket(tid)];

	return thread && thread->tid == tid && thread->space == space ? thread
								      : NULL;
}

size_t outer_frames_find(const struct outer_frames *outer,
	const struct outer_frames_stack *stack, uint64_t *ret, size_t room)
{
	const struct cached_thread *thread =
		find_cached_thread(outer, stack->tid, stack->space);
	size_t i;

	for (i = 1; thread && i <= STACKS; i++) {
		const struct cached_stack *cached =
			&thread->stacks[(thread->next - i) % STACKS];
		size_t at = find_outermost(cached, stack);

		if (at + 1 < cached->n) {
			size_t n = cached->n - ++at;
			if (n > room)
				return 0;
			for (i = 0; i < n; i++)
				ret[i] = cached->frames[at + i].address;
			return n;
		}
	}
	return 0;
}

/*
 * Returns true if the frames of CACHED from AT on are the frames of STACK from
 * OWN on, and the frames AT - 1 and OWN - 1, which they called, have the same
 * slot.
 */
static bool has_same_callers(const struct cached_stack *cached, size_t at,
	const struct outer_frames_stack *stack, size_t own)
{
	const struct outer_frames_stack part = {
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
		if (cached->frames[at + i].slot != stack->slots[own + i] ||
			cached->frames[at + i].address !=
				stack->addresses[own + i])
			return false;
	return true;
}

bool outer_frames_confirm(const struct outer_frames *outer,
	const struct outer_frames_stack *stack, size_t own)
{
	const struct cached_thread *thread =
		find_cached_thread(outer, stack->tid, stack->space);
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

bool outer_frames_last_has(
	const struct outer_frames *outer, const struct stack_frame *frame)
{
	const struct cached_thread *thread =
		find_cached_thread(outer, frame->tid, frame->space);
	const struct cached_stack *cached;
	size_t at;

	if (!thread)
		return false;
	cached = &thread->stacks[(thread->next - 1) % STACKS];
	at = find_frame_at_slot(cached, frame->slot);
	return at + 1 < cached->n && cached->frames[at].slot == frame->slot &&
		cached->frames[at].address == frame->address;
}
