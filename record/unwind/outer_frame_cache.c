/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/outer_frame_cache.h"

#include "common/util/alloc.h"

#define STACKS 8u	 /* of each thread */
#define FRAMES 256u	 /* of each: what lies beyond a copy of 64 KiB, or */
#define FRAMES_MAX 8192u /* of a recursion, while there is room */
#define ROOM_MAX MIB(1)	 /* frames in all that are kept so */

/* Frames of a recursion that must be the same: all in so many bytes. */
#define SURE_BYTES KIB(4)

#define NO_SPACE UINT64_MAX

struct tail {
	uint32_t n, room; /* n is 0: none */
	struct tail_frame {
		uint64_t slot, address;
	} *frames; /* owned; the youngest first */
};

struct thread {
	uint32_t tid;
	uint64_t space;
	uint32_t next; /* tail to be overwritten */
	struct tail tails[STACKS];
};

struct tails {
	struct thread *threads[TAILS_PLACES]; /* by tid; NULL: not seen */
	size_t room; /* of all tails that is more than FRAMES; atomic */
};

uint32_t tails_place(uint32_t tid)
{
	return tid & (TAILS_PLACES - 1);
}

struct tails *tails_create(void)
{
	return xcalloc(1, sizeof(struct tails));
}

void tails_destroy(struct tails *tails)
{
	size_t i;

	if (!tails)
		return;
	for (i = 0; i < TAILS_PLACES * STACKS; i++)
		if (tails->threads[i / STACKS])
			free(tails->threads[i / STACKS]
					->tails[i % STACKS].frames);
	for (i = 0; i < TAILS_PLACES; i++)
		free(tails->threads[i]);
	free(tails);
}

void tails_restart(struct tails *tails)
{
	size_t i;

	for (i = 0; i < TAILS_PLACES; i++)
		if (tails->threads[i])
			tails->threads[i]->space = NO_SPACE;
}

static void forget(struct thread *thread, const struct tails_stack *stack)
{
	size_t i;

	thread->tid = stack->tid;
	thread->space = stack->space;
	thread->next = 0;
	for (i = 0; i < STACKS; i++)
		thread->tails[i].n = 0;
}

static void make_room(struct tails *tails, struct tail *tail, size_t n)
{
	size_t room = FRAMES, more;

	while (room < n && room < FRAMES_MAX)
		room *= 2;
	if (room <= tail->room)
		return;
	more = room - MAX(FRAMES, tail->room);
	if (__atomic_add_fetch(&tails->room, more, __ATOMIC_RELAXED) >
		ROOM_MAX) {
		__atomic_sub_fetch(&tails->room, more, __ATOMIC_RELAXED);
		room = MAX(FRAMES, tail->room);
	}
	tail->frames = xrealloc(tail->frames, room * sizeof(*tail->frames));
	tail->room = (uint32_t)room;
}

void tails_keep(struct tails *tails, const struct tails_stack *stack)
{
	struct thread **place = &tails->threads[tails_place(stack->tid)];
	struct tail *tail;
	size_t skipped, i;

	if (!*place) {
		*place = xcalloc(1, sizeof(**place));
		forget(*place, stack);
	}
	if ((*place)->tid != stack->tid || (*place)->space != stack->space)
		forget(*place, stack);
	tail = &(*place)->tails[(*place)->next++ % STACKS];
	make_room(tails, tail, stack->n);
	skipped = stack->n - MIN(stack->n, (size_t)tail->room);
	tail->n = (uint32_t)(stack->n - skipped);
	for (i = 0; i < tail->n; i++) {
		tail->frames[i].slot = stack->slots[skipped + i];
		tail->frames[i].address = stack->addresses[skipped + i];
	}
}

/* Slots grow from the youngest to the oldest frame. */
static size_t find_frame(const struct tail *tail, uint64_t slot)
{
	size_t low = 0, high = tail->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tail->frames[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t copy_callers(
	const struct tail *tail, size_t from, uint64_t *ret, size_t room)
{
	size_t n = tail->n - from, i;

	if (n > room)
		return 0;
	for (i = 0; i < n; i++)
		ret[i] = tail->frames[from + i].address;
	return n;
}

static bool is_again(const struct tails_stack *stack, size_t at)
{
	size_t i;

	for (i = 1; i < stack->n; i++)
		if (i != at && stack->addresses[i] == stack->addresses[at])
			return true;
	return false;
}

/* The sampled address itself lies in no slot. */
size_t tails_sure(const struct tails_stack *stack, bool *is_recursive_ret)
{
	size_t oldest = stack->n - 1, n = 1;

	*is_recursive_ret = false;
	if (!oldest)
		return 0;
	*is_recursive_ret = is_again(stack, oldest);
	while (*is_recursive_ret && n < oldest &&
		stack->slots[oldest] - stack->slots[oldest - n] < SURE_BYTES)
		n++;
	return n;
}

/* Whether frame AT of TAIL is the oldest of STACK, and was just called so. */
static bool is_frame(
	const struct tail *tail, size_t at, const struct tails_stack *stack)
{
	bool is_recursive;
	size_t sure = tails_sure(stack, &is_recursive), i;

	for (i = 0; i < sure; i++) {
		size_t own = stack->n - 1 - i;

		if (i > at || tail->frames[at - i].slot != stack->slots[own] ||
			tail->frames[at - i].address != stack->addresses[own])
			return false;
	}
	return sure > 0;
}

/* TAIL's number of the oldest frame of STACK; TAIL->n: it isn't there. */
static size_t find_oldest(
	const struct tail *tail, const struct tails_stack *stack)
{
	size_t at = find_frame(tail, stack->slots[stack->n - 1]);

	return at < tail->n && is_frame(tail, at, stack) ? at : tail->n;
}

static const struct thread *find_thread(
	const struct tails *tails, uint32_t tid, uint64_t space)
{
	const struct thread *thread = tails->threads[tails_place(tid)];

	return thread && thread->tid == tid && thread->space == space ? thread
								      : NULL;
}

size_t tails_find(const struct tails *tails, const struct tails_stack *stack,
	uint64_t *ret, size_t room)
{
	const struct thread *thread = find_thread(tails, stack->tid, stack->space);
	size_t i;

	for (i = 1; thread && i <= STACKS; i++) {
		const struct tail *tail =
			&thread->tails[(thread->next - i) % STACKS];
		size_t at = find_oldest(tail, stack);

		if (at + 1 < tail->n)
			return copy_callers(tail, at + 1, ret, room);
	}
	return 0;
}

/* From frame AT on, which lies where the one before it was called from. */
static bool has_callers(const struct tail *tail, size_t at,
	const struct tails_stack *stack, size_t own)
{
	const struct tails_stack part = { .addresses = stack->addresses,
		.slots = stack->slots,
		.n = own };
	bool is_recursive;
	size_t i;

	if (!at || tail->n - at != stack->n - own ||
		tail->frames[at - 1].slot != stack->slots[own - 1])
		return false;
	tails_sure(&part, &is_recursive);
	if (is_recursive && !is_frame(tail, at - 1, &part))
		return false;
	for (i = 0; own + i < stack->n; i++)
		if (tail->frames[at + i].slot != stack->slots[own + i] ||
			tail->frames[at + i].address !=
				stack->addresses[own + i])
			return false;
	return true;
}

bool tails_have(const struct tails *tails, const struct tails_stack *stack,
	size_t own)
{
	const struct thread *thread = find_thread(tails, stack->tid, stack->space);
	size_t i;

	for (i = 0; thread && i < STACKS; i++) {
		const struct tail *tail = &thread->tails[i];

		if (has_callers(tail, find_frame(tail, stack->slots[own]),
			    stack, own))
			return true;
	}
	return false;
}

bool tails_last_has(const struct tails *tails, const struct tails_frame *frame)
{
	const struct thread *thread =
		find_thread(tails, frame->tid, frame->space);
	const struct tail *tail;
	size_t at;

	if (!thread)
		return false;
	tail = &thread->tails[(thread->next - 1) % STACKS];
	at = find_frame(tail, frame->slot);
	return at + 1 < tail->n && tail->frames[at].slot == frame->slot &&
		tail->frames[at].address == frame->address;
}
