/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known properties of stacks, which determine how much of a stack is read. */
#include "config.h"

#include "record/unwind/stack_reader.h"

#include "common/util/hash.h"
#include "record/unwind/stack_reader_private.h"

/* At most one stack start is stored for each page: smaller stacks are rare. */
#define PAGE_BITS 12
/* So many adjacent pages (as bits) are adjacent in the table of starts. */
#define BLOCK_BITS 9
/* Limit of a stack copy, which is not larger than a record. */
#define COPY_MAX KIB(64)

/* Bytes to read beyond a known start, which can be a few frames too low. */
#define BEYOND_TOP KIB(4)
/* Minimum size that is read from a stack with an unknown start. */
#define SIZE_LEAST KIB(128)

/* Sets the value of ID, a TID or PID, in the table ENTRIES. */
static void set_entry(
	struct stack_reader_entry *entries, uint32_t id, uint64_t value)
{
	struct stack_reader_entry *entry =
		&entries[id & (THREADS_TABLE_SIZE - 1)];

	__atomic_store_n(&entry->id, id, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->value, value, __ATOMIC_RELAXED);
}

/* Returns the value of ID in the table ENTRIES, or 0 if there is no value. */
static uint64_t entry_value(
	const struct stack_reader_entry *entries, uint32_t id)
{
	const struct stack_reader_entry *entry =
		&entries[id & (THREADS_TABLE_SIZE - 1)];

	if (__atomic_load_n(&entry->id, __ATOMIC_RELAXED) != id)
		return 0;
	return __atomic_load_n(&entry->value, __ATOMIC_RELAXED);
}

static struct stack_reader_entry *entry_of_page(
	const struct stack_reader *reader, uint32_t pid, uint64_t page)
{
	uint64_t block = hash_words(pid, page >> BLOCK_BITS);

	return (struct stack_reader_entry *)&reader
		->starts[(block + page) & (STARTS_TABLE_SIZE - 1)];
}

/*
 * Returns ENTRY if it contains a stack start of PID in [FROM, TO), else NULL.
 */
static struct stack_reader_entry *entry_in_range(
	struct stack_reader_entry *entry, uint32_t pid, uint64_t from,
	uint64_t to)
{
	uint64_t top = __atomic_load_n(&entry->value, __ATOMIC_RELAXED);

	if (__atomic_load_n(&entry->id, __ATOMIC_RELAXED) != pid)
		return NULL;
	return top >= from && top < to ? entry : NULL;
}

/* Returns the first known stack start of PID in [FROM, TO), or NULL. */
static struct stack_reader_entry *find_stack_start(
	const struct stack_reader *reader, uint32_t pid, uint64_t from,
	uint64_t to)
{
	uint64_t page = from >> PAGE_BITS, end = (to - 1) >> PAGE_BITS;
	struct stack_reader_entry *found = NULL;

	for (; from < to && page <= end && !found; page++)
		found = entry_in_range(entry_of_page(reader, pid, page), pid,
			MAX(from, page << PAGE_BITS),
			MIN(to, (page + 1) << PAGE_BITS));
	return found;
}

/*
 * The size reaches the start of the stack. If the start is unknown, the size
 * doubles with each request of the thread.
 */
size_t stack_reader_read_size(
	struct stack_reader *reader, const struct stack_request *request)
{
	size_t i = request->tid & (THREADS_TABLE_SIZE - 1), size;
	const struct stack_reader_entry *top =
		find_stack_start(reader, request->pid, request->from,
			request->from + STACK_READER_SIZE_MAX);

	if (top)
		return MIN(__atomic_load_n(&top->value, __ATOMIC_RELAXED) -
				request->from + request->overlap + BEYOND_TOP,
			(uint64_t)STACK_READER_SIZE_MAX);
	if (reader->next_sizes[i].tid != request->tid) {
		/*
		 * Until a stack of the process has been unwound, read the
		 * maximum: many threads have only one sample.
		 */
		uint64_t need = entry_value(reader->needs, request->pid);
		reader->next_sizes[i].size = need
			? MIN(need + request->overlap + BEYOND_TOP,
				  (uint64_t)STACK_READER_SIZE_MAX)
			: STACK_READER_SIZE_MAX;
	}
	reader->next_sizes[i].tid = request->tid;
	size = reader->next_sizes[i].size;
	reader->next_sizes[i].size = MIN(2 * size, STACK_READER_SIZE_MAX);
	return size;
}

bool stack_reader_is_beyond(const struct stack_reader *reader, uint32_t pid,
	uint64_t stack_pointer, uint64_t address)
{
	return address - stack_pointer <= COPY_MAX &&
		find_stack_start(reader, pid, stack_pointer, address);
}

bool stack_reader_is_end(
	const struct stack_reader *reader, uint32_t tid, uint64_t address)
{
	return entry_value(reader->ends, tid) == address;
}

void stack_reader_set_end(
	struct stack_reader *reader, uint32_t tid, uint64_t address)
{
	set_entry(reader->ends, tid, address);
}

void stack_reader_add_start(
	struct stack_reader *reader, uint32_t pid, uint64_t top)
{
	struct stack_reader_entry *entry =
		entry_of_page(reader, pid, top >> PAGE_BITS);

	__atomic_store_n(&entry->id, pid, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->value, top, __ATOMIC_RELAXED);
}

void stack_reader_remove_starts(
	struct stack_reader *reader, uint32_t pid, uint64_t from, uint64_t to)
{
	uint64_t end = MIN(to, from + COPY_MAX + STACK_READER_SIZE_MAX);
	struct stack_reader_entry *wrong;

	while ((wrong = find_stack_start(reader, pid, from, end)))
		__atomic_store_n(&wrong->value, 0, __ATOMIC_RELAXED);
}

void stack_reader_set_interrupted_at(
	struct stack_reader *reader, uint32_t tid, uint64_t at)
{
	set_entry(reader->interrupted, tid, at);
}

uint64_t stack_reader_interrupted_at(
	const struct stack_reader *reader, uint32_t tid)
{
	return entry_value(reader->interrupted, tid);
}

void stack_reader_set_need(
	struct stack_reader *reader, uint32_t pid, uint64_t size)
{
	uint64_t known = entry_value(reader->needs, pid);

	size = MAX(size, (uint64_t)SIZE_LEAST);
	if (size > known)
		set_entry(reader->needs, pid, size);
}
