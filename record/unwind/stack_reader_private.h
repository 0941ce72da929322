/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included only by the files that implement record/unwind/stack_reader.h. */
#ifndef DWELL_RECORD_UNWIND_STACK_READER_PRIVATE_H
#define DWELL_RECORD_UNWIND_STACK_READER_PRIVATE_H

#include <pthread.h>
#include <semaphore.h>

#include "record/sys/bounded_store.h"

/* Maximum number of pending requests; a power of two. */
#define JOBS_MAX 256u
/* Size of the tables that are indexed by TID or PID; a power of two. */
#define THREADS_TABLE_SIZE 4096u
/* Size of the table of known starts of stacks; a power of two. */
#define STARTS_TABLE_SIZE 16384u

/*
 * A request and its state. A thread that searches for a request can read an
 * entry of .jobs while another request is written to the entry. The members are
 * therefore atomic.
 */
struct stack_reader_job {
	struct stack_request request;
	uint64_t read_at; /* atomic; time of the reading; 0: pending */
	bool is_gone;	  /* atomic: the stack was read too late */
	bool is_seen;	  /* atomic: a later sample was observed */
};

/*
 * An entry of a table: the value, usually an address, of a TID or PID. .id and
 * .value are atomic separately: a wrong combination only costs time.
 */
struct stack_reader_entry {
	uint64_t id, value;
};

struct stack_reader {
	struct stack_reader_job jobs[JOBS_MAX];
	uint64_t requested, taken; /* numbers; drain thread writes .requested */
	sem_t news;
	uint64_t answered; /* number of completed requests; guarded by .lock */
	struct bounded_store *answers; /* results; guarded by .lock */
	pthread_mutex_t lock;
	struct bounded_store *later; /* later copies; guarded by .later_lock */
	pthread_mutex_t later_lock;
	pthread_cond_t has_answered;
	/*
	 * Starts of stacks, by PID and page: a thread can have several stacks.
	 */
	struct stack_reader_entry starts[STARTS_TABLE_SIZE];
	struct stack_reader_entry
		ends[THREADS_TABLE_SIZE]; /* by TID: address where
							nothing could be read */
	struct stack_reader_entry
		interrupted[THREADS_TABLE_SIZE]; /* by TID: address of the
						    saved stack pointer */
	struct stack_reader_entry
		needs[THREADS_TABLE_SIZE]; /* by PID: bytes that the
							 threads needed */
	struct {
		uint32_t tid;
		size_t size;
	} next_sizes[THREADS_TABLE_SIZE]; /* used only by the reading thread */
	bool is_running, is_over;
	int realtime;
	pthread_t thread;
	struct {
		struct stack_location location;
		uint8_t bytes[STACK_READER_SIZE_MAX];
	} read;
};

/* Returns true if nothing of TID can be read at ADDRESS. */
bool stack_reader_is_end(
	const struct stack_reader *reader, uint32_t tid, uint64_t address);
void stack_reader_set_end(
	struct stack_reader *reader, uint32_t tid, uint64_t address);
/*
 * Returns the number of bytes to read for REQUEST, including its overlap. Only
 * the reading thread may call this function.
 */
size_t stack_reader_read_size(
	struct stack_reader *reader, const struct stack_request *request);

#endif
