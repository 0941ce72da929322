/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where the pointer to the thread state of CPython is: in the
 * thread-specific data (pthread_getspecific(3)) of each thread, at the same
 * offset from the thread pointer. In 2.7, only _PyThreadState_Current points to
 * the state, that of the thread with the global interpreter lock.
 */
#ifndef DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_THREADS_H
#define DWELL_RECORD_RUNTIMES_CPYTHON_CPYTHON_THREADS_H

#include "record/runtimes/cpython/cpython_layout.h"
#include "record/runtimes/interface/runtime.h"

/*
 * Sets *RET to the offset from the thread pointer. ROOT is the address of
 * _PyRuntime, or of _PyThreadState_Current if LAYOUT has no .interpreters. The
 * result is RUNTIME_STARTING if the interpreter has no thread yet, or no
 * thread state is found; *REASON_RET is the reason then.
 */
enum runtime_state cpython_threads_find(const struct cpython_layout *layout,
	struct process_memory *memory, uint64_t root, uint64_t *ret,
	const char **reason_ret);

/*
 * Reads the frames of the thread TID from the running process, as LIST
 * describes: they can be later than the sample. ROOT is that of
 * cpython_threads_find(). Returns the number of frames in RET, at most
 * CHAIN_LINKED_MAX.
 */
size_t cpython_threads_read(const struct cpython_layout *layout,
	const struct chain_runtime *list, struct process_memory *memory,
	uint64_t root, uint32_t tid, struct chain_linked *ret);

#endif
