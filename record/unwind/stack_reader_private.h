/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the files of record/unwind/stack_reader.h. */
#ifndef DWELL_RECORD_UNWIND_STACK_READER_PRIVATE_H
#define DWELL_RECORD_UNWIND_STACK_READER_PRIVATE_H

#include <pthread.h>
#include <semaphore.h>

#include "record/sys/bounded_store.h"

/* Maximum number of pending requests; a power of two. */
#define JOBS_MAX 256u
/* Size of the tables by TID; a power of two. */
#define THREADS_TABLE_SIZE 4096u
/* Size of the table of known starts of stacks; a power of two. */
#define STARTS_TABLE_SIZE 16384u

/*
 * A request. A thread that searches for a request can read an entry that is
 * being replaced, and then finds that it is another one; the members are
 * therefore atomic.
 */
struct stack_reader_job {
	struct stack_request request;
	uint64_t read_at; /* atomic; 0: pending */
	bool is_gone;	  /* atomic: the stack was read too late */
	bool is_seen;	  /* atomic: a later sample was observed */
};

/*
 * An entry of a table, usually an address. ID and VALUE are atomic separately:
 * a wrong combination only costs time.
 */
struct table_entry {
	uint64_t id, value;
};

struct stack_reader {
	struct stack_reader_job jobs[JOBS_MAX];
	uint64_t requested, taken; /* the drain thread writes REQUESTED */
	sem_t news;
	uint64_t answered; /* number of completed requests; guarded by LOCK */
	struct bounded_store *answers; /* guarded by LATER_LOCK */
	pthread_mutex_t lock;
	struct bounded_store *later; /* guarded by */
	pthread_mutex_t later_lock;
	pthread_cond_t has_answered;
	/* Starts of stacks, by PID and page: a thread can have several. */
	struct table_entry starts[STARTS_TABLE_SIZE];
	struct table_entry ends[THREADS_TABLE_SIZE]; /* addresses where nothing
							could be read */
	struct table_entry
		interrupted[THREADS_TABLE_SIZE]; /* places of the interrupted
						    stack pointer */
	struct table_entry needs[THREADS_TABLE_SIZE]; /* by PID: bytes that its
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
 * Returns the number of bytes to read for REQUEST, including its overlap. For
 * the reading thread.
 */
size_t stack_reader_read_size(
	struct stack_reader *reader, const struct stack_request *request);

#endif
