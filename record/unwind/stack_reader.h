/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the part of a stack beyond its copy from the running process, in a
 * separate thread, as soon as the sample has been read from the ring buffer.
 * Also used for stacks with a page that was never touched, where the copy of
 * the kernel ends. The process runs on meanwhile, so the result can be of
 * another moment: the user must check that it is plausible.
 *
 * Requests never block. If there are too many, or reading takes too long, the
 * oldest results are lost and new requests are rejected.
 */
#ifndef DWELL_RECORD_UNWIND_STACK_READER_H
#define DWELL_RECORD_UNWIND_STACK_READER_H

#include <sys/types.h>

#include "common/util/base.h"
#include "common/util/error.h"

/* Maximum number of bytes that are read of a stack. */
#define STACK_READER_SIZE_MAX MIB(1)
/*
 * This part of the end of a copy is read again. If its return addresses have
 * changed, those behind it are of another moment.
 */
#define STACK_READER_OVERLAP KIB(16)

struct stack_reader;

struct stack_reader *stack_reader_create(void);
/* Also ends the thread. */
void stack_reader_destroy(struct stack_reader *reader);

/* REALTIME is the argument of priority_raise(); the nice level is -20. */
struct error *stack_reader_start(
	struct stack_reader *reader, int realtime) _must_check_;

/* A request for the stack at ADDRESS, for the sample of TID at TIME. */
struct stack_request {
	uint32_t pid, tid;
	uint64_t time, start,
		address; /* START: address of the copy; 0: unknown */
	size_t overlap;	 /* bytes before ADDRESS that are read, too */
	uint64_t from; /* the stack continues here, on another stack; 0: it does
			  not */
	uint64_t mask; /* if FROM is set: the signals that are blocked there */
};
/*
 * Adds a request. Returns false if it is rejected or there is nothing to read.
 * Only one thread may call this and stack_reader_observe().
 */
bool stack_reader_request(
	struct stack_reader *reader, const struct stack_request *request);
/* The stack of a thread in a sample. */
struct stack_observation {
	uint32_t tid;
	uint64_t time, stack_pointer;
	const uint8_t *bytes; /* SIZE bytes from STACK_POINTER on */
	size_t size;
};
/*
 * Passes the stack of a sample. Requests of the thread that have not been read
 * are cancelled if the stack has become shorter than their address. For
 * requests that have been read, the part of the first later copy before the
 * address of the request is kept.
 */
void stack_reader_observe(struct stack_reader *reader,
	const struct stack_observation *observation);

/* The place of a result, as in its request; FROM is never 0. */
struct stack_location {
	uint64_t address, from;
};
/*
 * Copies what was read for the sample of TID at TIME to RET, which has space
 * for STACK_READER_SIZE_MAX. Returns the size; 0: nothing. Waits if the request
 * is pending. Thread-safe.
 */
size_t stack_reader_find(struct stack_reader *reader, uint32_t tid,
	uint64_t time, uint8_t *ret, struct stack_location *place_ret);
/*
 * Copies the part of the first later sample before the requested address to
 * RET, which has space for STACK_READER_OVERLAP. Returns the size, which can be
 * less than the overlap; 0: there was none, or its copy was too short.
 * Thread-safe.
 */
size_t stack_reader_find_overlap(
	struct stack_reader *reader, uint32_t tid, uint64_t time, uint8_t *ret);
/*
 * Returns true if a stack of process PID is known to start between
 * STACK_POINTER and ADDRESS, which are at most the size of a copy apart, so
 * that ADDRESS is beyond the stack. It can be the stack of any thread:
 * coroutines have many stacks and move between threads. Thread-safe.
 */
bool stack_reader_is_beyond(const struct stack_reader *reader, uint32_t pid,
	uint64_t stack_pointer, uint64_t address);
/*
 * Records that a stack of PID starts at TOP, so that no more is read.
 * Thread-safe.
 */
void stack_reader_add_start(
	struct stack_reader *reader, uint32_t pid, uint64_t top);
/*
 * Removes all starts of stacks of PID between FROM and TO, which belong to the
 * same stack. Thread-safe.
 */
void stack_reader_remove_starts(
	struct stack_reader *reader, uint32_t pid, uint64_t from, uint64_t to);
/*
 * Records that signal handlers of TID have their own stack, and that the
 * interrupted stack pointer is at AT. The kernel uses the same place each time.
 * Thread-safe.
 */
void stack_reader_set_interrupted_at(
	struct stack_reader *reader, uint32_t tid, uint64_t at);
/* Returns the place that was recorded; 0: unknown. Thread-safe. */
uint64_t stack_reader_interrupted_at(
	const struct stack_reader *reader, uint32_t tid);
/*
 * Records that a thread of PID needed SIZE bytes beyond its copy. This is the
 * size that is read of stacks with an unknown start. Thread-safe.
 */
void stack_reader_set_need(
	struct stack_reader *reader, uint32_t pid, uint64_t size);

/*
 * Signal handlers that run on their own stack (sigaltstack(2)): reads the saved
 * state of the interrupted code from the signal frame. Does not unwind.
 */
struct signal_frame {
	uint64_t from; /* stack pointer of the interrupted code */
	uint64_t mask; /* signals that are blocked in the interrupted code */
	size_t end;    /* bytes of the copy up to the end of the saved PC */
};
/*
 * Reads the signal frame in BYTES, a copy of SIZE bytes from address START,
 * where AT is the address of the saved stack pointer. Returns false if the
 * frame is not in the copy, or the interrupted stack is the same one.
 */
bool signal_frames_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct signal_frame *ret);
/*
 * Returns true if a handler runs in TID now, according to its blocked signals.
 * Returns false if these are the same as MASK, those of the interrupted code,
 * or cannot be read.
 */
bool signal_frames_handler_runs(pid_t pid, pid_t tid, uint64_t mask);

#endif
