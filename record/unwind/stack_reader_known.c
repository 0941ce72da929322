/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of threads' stacks, and so how much of one is read. */
#include "config.h"

#include "record/unwind/stack_reader.h"

#include "common/util/hash.h"
#include "record/unwind/stack_reader_private.h"

/* One beginning is known of each page, at most: smaller stacks are rare. */
#define PAGE_BITS 12
/* Pages that lie side by side are looked at one after the other. */
#define BLOCK_BITS 9
/* No copy is larger than a record. */
#define COPY_MAX KIB(64)

/* The beginning may have been found a few frames from its end. */
#define BEYOND_TOP KIB(4)
/* Read at least where the beginning isn't known. */
#define SIZE_LEAST KIB(128)

/* ID: of a thread, or of a process. */
static void note(struct place *places, uint32_t id, uint64_t value)
{
	struct place *place = &places[id & (TIDS - 1)];

	__atomic_store_n(&place->id, id, __ATOMIC_RELAXED);
	__atomic_store_n(&place->value, value, __ATOMIC_RELAXED);
}

/* 0: nothing is known of ID. */
static uint64_t noted(const struct place *places, uint32_t id)
{
	const struct place *place = &places[id & (TIDS - 1)];

	if (__atomic_load_n(&place->id, __ATOMIC_RELAXED) != id)
		return 0;
	return __atomic_load_n(&place->value, __ATOMIC_RELAXED);
}

static struct place *top_of_page(
	const struct depths *depths, uint32_t pid, uint64_t page)
{
	uint64_t block = hash_words(pid, page >> BLOCK_BITS);

	return (struct place *)&depths->tops[(block + page) & (TOPS - 1)];
}

/* PLACE if what it knows is of PID, from FROM on and before TO; or NULL. */
static struct place *within(
	struct place *place, uint32_t pid, uint64_t from, uint64_t to)
{
	uint64_t top = __atomic_load_n(&place->value, __ATOMIC_RELAXED);

	if (__atomic_load_n(&place->id, __ATOMIC_RELAXED) != pid)
		return NULL;
	return top >= from && top < to ? place : NULL;
}

/* The first beginning from FROM on and before TO; NULL: none is known. */
static struct place *find_top(
	const struct depths *depths, uint32_t pid, uint64_t from, uint64_t to)
{
	uint64_t page = from >> PAGE_BITS, end = (to - 1) >> PAGE_BITS;
	struct place *found = NULL;

	for (; from < to && page <= end && !found; page++)
		found = within(top_of_page(depths, pid, page), pid,
			MAX(from, page << PAGE_BITS),
			MIN(to, (page + 1) << PAGE_BITS));
	return found;
}

/*
 * As much as threads of the process have needed; all while none has been
 * unwound: many threads live for one sample.
 */
static size_t first_size(
	const struct depths *depths, const struct depths_question *question)
{
	uint64_t need = noted(depths->needs, question->pid);

	return need ? MIN(need + question->overlap + BEYOND_TOP,
			      (uint64_t)DEPTHS_SIZE_MAX)
		    : DEPTHS_SIZE_MAX;
}

/*
 * Up to the stack's beginning. Where that isn't known, more each time, until it
 * is.
 */
size_t depths_size(
	struct depths *depths, const struct depths_question *question)
{
	size_t i = question->tid & (TIDS - 1), size;
	const struct place *top = find_top(depths, question->pid,
		question->from, question->from + DEPTHS_SIZE_MAX);

	if (top)
		return MIN(__atomic_load_n(&top->value, __ATOMIC_RELAXED) -
				question->from + question->overlap + BEYOND_TOP,
			(uint64_t)DEPTHS_SIZE_MAX);
	if (depths->tries[i].tid != question->tid)
		depths->tries[i].size = first_size(depths, question);
	depths->tries[i].tid = question->tid;
	size = depths->tries[i].size;
	depths->tries[i].size = MIN(2 * size, DEPTHS_SIZE_MAX);
	return size;
}

bool depths_is_beyond(const struct depths *depths, uint32_t pid,
	uint64_t stack_pointer, uint64_t address)
{
	return address - stack_pointer <= COPY_MAX &&
		find_top(depths, pid, stack_pointer, address);
}

bool depths_is_end(const struct depths *depths, uint32_t tid, uint64_t address)
{
	return noted(depths->ends, tid) == address;
}

void depths_learn_end(struct depths *depths, uint32_t tid, uint64_t address)
{
	note(depths->ends, tid, address);
}

void depths_learn(struct depths *depths, uint32_t pid, uint64_t top)
{
	struct place *place = top_of_page(depths, pid, top >> PAGE_BITS);

	__atomic_store_n(&place->id, pid, __ATOMIC_RELAXED);
	__atomic_store_n(&place->value, top, __ATOMIC_RELAXED);
}

void depths_doubt(
	struct depths *depths, uint32_t pid, uint64_t from, uint64_t to)
{
	uint64_t end = MIN(to, from + COPY_MAX + DEPTHS_SIZE_MAX);
	struct place *wrong;

	while ((wrong = find_top(depths, pid, from, end)))
		__atomic_store_n(&wrong->value, 0, __ATOMIC_RELAXED);
}

void depths_learn_interrupted(struct depths *depths, uint32_t tid, uint64_t at)
{
	note(depths->interrupted, tid, at);
}

uint64_t depths_interrupted_at(const struct depths *depths, uint32_t tid)
{
	return noted(depths->interrupted, tid);
}

void depths_need(struct depths *depths, uint32_t pid, uint64_t size)
{
	uint64_t known = noted(depths->needs, pid);

	size = MAX(size, (uint64_t)SIZE_LEAST);
	if (size > known)
		note(depths->needs, pid, size);
}
