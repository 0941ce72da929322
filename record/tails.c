/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/tails.h"

#include "common/alloc.h"

#define STACKS 8u   /* of each thread */
#define FRAMES 256u /* of each: what lies beyond a copy of 64 KiB */

#define NO_SPACE UINT64_MAX

struct tail {
	uint32_t n; /* 0: none */
	struct {
		uint64_t slot, address;
	} frames[FRAMES]; /* the youngest first */
};

struct thread {
	uint32_t tid;
	uint64_t space;
	uint32_t next; /* tail to be overwritten */
	struct tail tails[STACKS];
};

struct tails {
	struct thread *threads[TAILS_PLACES]; /* by tid; NULL: not seen */
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

void tails_keep(struct tails *tails, const struct tails_stack *stack)
{
	struct thread **place = &tails->threads[tails_place(stack->tid)];
	size_t skipped = stack->n > FRAMES ? stack->n - FRAMES : 0, i;
	struct tail *tail;

	if (!*place) {
		*place = xmalloc(sizeof(**place));
		forget(*place, stack);
	}
	if ((*place)->tid != stack->tid || (*place)->space != stack->space)
		forget(*place, stack);
	tail = &(*place)->tails[(*place)->next++ % STACKS];
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

size_t tails_find(const struct tails *tails, const struct tails_stack *stack,
	uint64_t *ret, size_t room)
{
	const struct thread *thread =
		tails->threads[tails_place(stack->tid)];
	uint64_t slot = stack->slots[stack->n - 1];
	size_t i;

	/* The sampled address itself lies in no slot. */
	if (!thread || thread->tid != stack->tid ||
		thread->space != stack->space || stack->n < 2)
		return 0;
	for (i = 1; i <= STACKS; i++) {
		const struct tail *tail =
			&thread->tails[(thread->next - i) % STACKS];
		size_t at = find_frame(tail, slot);

		if (at + 1 < tail->n && tail->frames[at].slot == slot &&
			tail->frames[at].address ==
				stack->addresses[stack->n - 1])
			return copy_callers(tail, at + 1, ret, room);
	}
	return 0;
}
