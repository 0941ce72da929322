/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the part of a stack beyond its copy from the running process, in a
 * separate thread, as soon as the sample has been read from the ring buffer.
 * Also used if the kernel's copy ends at a stack page that was never touched.
 * The process runs on meanwhile, so the result can be of another moment: the
 * caller must check that the result is plausible.
 *
 * Requests never block. If there are too many requests, or reading takes too
 * long, the oldest results are lost and new requests are rejected.
 */
#ifndef DWELL_RECORD_UNWIND_STACK_READER_H
#define DWELL_RECORD_UNWIND_STACK_READER_H

#include <sys/types.h>

#include "common/util/base.h"
#include "common/util/error.h"

/* Maximum number of bytes that are read from a stack. */
#define STACK_READER_SIZE_MAX MIB(1)
/*
 * Number of bytes at the end of a copy that are read again. If return addresses
 * in these bytes have changed, the return addresses behind the copy are of
 * another moment.
 */
#define STACK_READER_OVERLAP KIB(16)

struct stack_reader;

struct stack_reader *stack_reader_create(void);
/* Ends the thread and frees READER. */
void stack_reader_destroy(struct stack_reader *reader);

/* Starts the thread with priority_raise(REALTIME, -20). */
struct error *stack_reader_start(
	struct stack_reader *reader, int realtime) _must_check_;

/* A request for the stack at ADDRESS, for the sample of TID at TIME. */
struct stack_request {
	uint32_t pid, tid;
	uint64_t time, start,
		address; /* .start: address of the copy; 0: unknown */
	size_t overlap;	 /* number of bytes to read before .address */
	uint64_t from;	 /* address on another stack where the call chain
			  continues; 0: on the same stack */
	uint64_t mask;	 /* if .from is set: signals blocked on that stack */
};
/*
 * Adds a request. Returns false if the request is rejected or there is nothing
 * to read. Only one thread may call stack_reader_request() and
 * stack_reader_observe().
 */
bool stack_reader_request(
	struct stack_reader *reader, const struct stack_request *request);
/* The stack of a thread in a sample. */
struct stack_observation {
	uint32_t tid;
	uint64_t time, stack_pointer;
	const uint8_t *bytes; /* .size bytes from .stack_pointer on */
	size_t size;
};
/*
 * Passes the stack of a later sample. Pending requests of the thread are
 * cancelled if the stack has become too short to reach their address. For each
 * request that has been read, the part before the request's address of the
 * first later stack copy is kept for stack_reader_find_overlap().
 */
void stack_reader_observe(struct stack_reader *reader,
	const struct stack_observation *observation);

/* .address and .from of the request of a result; .from is never 0. */
struct stack_location {
	uint64_t address, from;
};
/*
 * Copies the bytes that were read for the sample of TID at TIME to RET, which
 * has space for STACK_READER_SIZE_MAX bytes. Returns the number of bytes; 0 if
 * nothing was read. Waits if the request is pending. Thread-safe.
 */
size_t stack_reader_find(struct stack_reader *reader, uint32_t tid,
	uint64_t time, uint8_t *ret, struct stack_location *place_ret);
/*
 * For the request of TID at TIME: copies the part before the requested address
 * of the first later sample's stack copy to RET, which has space for
 * STACK_READER_OVERLAP bytes. Returns the number of bytes, which can be less
 * than the request's overlap. Returns 0 if there was no later sample or its
 * stack copy was too short. Thread-safe.
 */
size_t stack_reader_find_overlap(
	struct stack_reader *reader, uint32_t tid, uint64_t time, uint8_t *ret);
/*
 * Returns true if a stack of process PID is known to start between
 * STACK_POINTER and ADDRESS, so that ADDRESS is beyond that stack. Returns
 * false if both are further apart than the size of a stack copy. The stack can
 * belong to any thread, because coroutines have many stacks and move between
 * threads. Thread-safe.
 */
bool stack_reader_is_beyond(const struct stack_reader *reader, uint32_t pid,
	uint64_t stack_pointer, uint64_t address);
/*
 * Records that a stack of PID starts at TOP, so that nothing beyond TOP is
 * read. Thread-safe.
 */
void stack_reader_add_start(
	struct stack_reader *reader, uint32_t pid, uint64_t top);
/*
 * Removes the recorded starts of stacks of PID between FROM and TO. These
 * starts are wrong, because FROM and TO belong to the same stack. Thread-safe.
 */
void stack_reader_remove_starts(
	struct stack_reader *reader, uint32_t pid, uint64_t from, uint64_t to);
/*
 * Records that signal handlers of TID have their own stack, and that the
 * interrupted stack pointer is saved at address AT. The kernel saves it at the
 * same address each time. Thread-safe.
 */
void stack_reader_set_interrupted_at(
	struct stack_reader *reader, uint32_t tid, uint64_t at);
/*
 * Returns AT of the last stack_reader_set_interrupted_at(), or 0. Thread-safe.
 */
uint64_t stack_reader_interrupted_at(
	const struct stack_reader *reader, uint32_t tid);
/*
 * Records that a thread of PID needed SIZE bytes beyond its stack copy. The
 * size is used for requests of PID for stacks with an unknown start.
 * Thread-safe.
 */
void stack_reader_set_need(
	struct stack_reader *reader, uint32_t pid, uint64_t size);

/*
 * Signal handlers that run on their own stack (sigaltstack(2)): reads the saved
 * state of the interrupted code from the signal frame. Does not unwind.
 */
struct stack_signal_frame {
	uint64_t from; /* stack pointer of the interrupted code */
	uint64_t mask; /* signals that are blocked in the interrupted code */
	size_t end;    /* bytes of the copy up to the end of the saved PC */
};
/*
 * Reads the signal frame in BYTES, a copy of SIZE bytes from address START,
 * where AT is the address of the saved stack pointer. Returns false if the
 * signal frame is not in the copy, or if the interrupted stack is in the copy
 * itself.
 */
bool stack_signal_frames_read(const uint8_t *bytes, size_t size, uint64_t start,
	uint64_t at, struct stack_signal_frame *ret);
/*
 * Returns true if a signal handler runs in TID now: the blocked signals of TID
 * differ from MASK, the blocked signals of the interrupted code. Returns false
 * if the blocked signals of TID cannot be read.
 */
bool stack_signal_handler_runs(pid_t pid, pid_t tid, uint64_t mask);

#endif
