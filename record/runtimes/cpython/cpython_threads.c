/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/cpython/cpython_threads.h"

#include "record/runtimes/interface/code_objects.h"

/* Limit of threads that are compared. */
#define THREADS_MAX 4096u
/*
 * Bytes behind the thread pointer. glibc keeps the first 32 keys in struct
 * pthread, at offset 0x310 on x86-64 (nptl/descr.h of 2.36), with 16 bytes for
 * each.
 */
#define THREAD_BYTES 0x600u
/*
 * Bytes before the thread pointer: thread-local variables. 3.15 has the thread state only
 * there (_Py_tss_gilstate, and while the thread runs also _Py_tss_tstate).
 */
#define VARIABLE_BYTES 0x1000u
#define CHUNK_BYTES 0x200u
/* Of struct pthread of glibc on x86-64: the thread ID. */
#define GLIBC_TID 0x2d0u

/* Sets *RET to the first interpreter, or to 0. */
static bool read_first_interpreter(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t root, uint64_t *ret)
{
	uint64_t thread;

	*ret = 0;
	if (layout->interpreters)
		return process_memory_u64(
			memory, root + layout->interpreters, ret);
	if (!process_memory_u64(memory, root, &thread))
		return false;
	return !thread ||
		process_memory_u64(memory, thread + layout->interpreter, ret);
}

/* The threads of all interpreters. */
struct thread_cursor {
	const struct cpython_layout *layout;
	struct process_memory *memory;
	uint64_t interpreter; /* the next one; 0: none */
	uint64_t thread;      /* 0: none of the current interpreter */
	unsigned n;
};

/*
 * Goes to the next thread. Returns false if there is none: the process changes the lists while
 * they are read.
 */
static bool next_thread(struct thread_cursor *cursor)
{
	const struct cpython_layout *layout = cursor->layout;
	uint64_t interpreter;

	if (cursor->thread &&
		!process_memory_u64(cursor->memory,
			cursor->thread + layout->next, &cursor->thread))
		return false;
	while (!cursor->thread && cursor->interpreter) {
		interpreter = cursor->interpreter;
		if (!process_memory_u64(cursor->memory,
			    interpreter + layout->threads, &cursor->thread) ||
			!process_memory_u64(cursor->memory,
				interpreter + layout->next_interpreter,
				&cursor->interpreter) ||
			cursor->n++ == THREADS_MAX)
			return false;
	}
	return cursor->thread && cursor->n++ < THREADS_MAX;
}

/* Finds the word VALUE in the SIZE bytes at ADDRESS; SIZE is at most THREAD_BYTES. */
static bool find_word(struct process_memory *memory, uint64_t address,
	size_t size, uint64_t value, uint64_t *ret)
{
	uint64_t words[THREAD_BYTES / 8];
	size_t i;

	if (!process_memory_read(memory, address, words, size))
		return false;
	for (i = 0; i < size / 8; i++)
		if (words[i] == value) {
			*ret = address + 8 * i;
			return true;
		}
	return false;
}

/*
 * Sets *RET to the offset from the thread pointer of THREAD at which the
 * address of THREAD is. CPython's thread ID is that of pthread_self(3), which
 * is the thread pointer. Returns false if there is no such offset.
 */
static bool find_own_address(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t thread, uint64_t *ret)
{
	uint64_t pointer, at;
	unsigned before;
	bool is_found;

	if (!process_memory_u64(memory, thread + layout->thread_id, &pointer) ||
		!pointer || pointer & 7)
		return false;
	is_found = find_word(memory, pointer, THREAD_BYTES, thread, &at);
	for (before = CHUNK_BYTES; !is_found && before <= VARIABLE_BYTES;
		before += CHUNK_BYTES)
		is_found = find_word(
			memory, pointer - before, CHUNK_BYTES, thread, &at);
	*ret = is_found ? at - pointer : 0;
	return is_found;
}

enum runtime_state cpython_threads_find(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t root, uint64_t *ret,
	const char **reason_ret)
{
	struct thread_cursor cursor = { layout, memory };

	*ret = 0;
	*reason_ret = NULL;
	if (layout->major < 3)
		return RUNTIME_READY;
	if (!read_first_interpreter(layout, memory, root, &cursor.interpreter))
		return RUNTIME_STARTING;
	while (next_thread(&cursor)) {
		*reason_ret = "the thread state of CPython was not found "
			      "where glibc keeps it";
		if (find_own_address(layout, memory, cursor.thread, ret))
			return RUNTIME_READY;
	}
	return RUNTIME_STARTING;
}

/* Returns whether THREAD is the thread TID. */
static bool is_thread(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t thread, uint32_t tid)
{
	uint64_t pointer;
	uint32_t found;

	/* The native thread ID is behind CPython's, since 3.11. */
	if (layout->instructions)
		return process_memory_u32(memory,
			       thread + layout->thread_id + 8, &found) &&
			found == tid;
	return process_memory_u64(
		       memory, thread + layout->thread_id, &pointer) &&
		process_memory_u32(memory, pointer + GLIBC_TID, &found) &&
		found == tid;
}

/* Sets *RET to the address of the pointer to the first frame of THREAD. */
static bool find_first_frame(const struct chain_runtime *list,
	struct process_memory *memory, uint64_t thread, uint64_t *ret)
{
	unsigned i;

	for (i = 1; i + 1 < list->n_hops; i++)
		if (!process_memory_u64(
			    memory, thread + list->hops[i], &thread))
			return false;
	*ret = thread + list->hops[i];
	return true;
}

/* A thread can have frames in several interpreters. */
size_t cpython_threads_read(const struct cpython_layout *layout,
	const struct chain_runtime *list, struct process_memory *memory,
	uint64_t root, uint32_t tid, struct chain_linked *ret)
{
	struct thread_cursor cursor = { layout, memory };
	uint64_t first;
	size_t n = 0;

	if (!read_first_interpreter(layout, memory, root, &cursor.interpreter))
		return 0;
	while (n < CHAIN_LINKED_MAX && next_thread(&cursor))
		if (is_thread(layout, memory, cursor.thread, tid) &&
			find_first_frame(list, memory, cursor.thread, &first))
			n += code_objects_read_list(list, memory, first,
				ret + n, CHAIN_LINKED_MAX - n);
	return n;
}
