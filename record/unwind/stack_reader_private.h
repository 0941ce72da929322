/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of record/unwind/stack_reader.h share. */
#ifndef DWELL_RECORD_UNWIND_STACK_READER_PRIVATE_H
#define DWELL_RECORD_UNWIND_STACK_READER_PRIVATE_H

#include <pthread.h>
#include <semaphore.h>

#include "record/sys/bounded_store.h"

/* Questions that wait; a power of two. */
#define QUESTIONS 256u
/* Threads of which something is known; a power of two. */
#define TIDS 4096u
/* Stacks whose beginning is known; a power of two. */
#define TOPS 16384u

/*
 * Who looks for a question may meet one that takes an old one's place, and then
 * sees that it is another: so its fields are atomic, too.
 */
struct asked {
	struct depths_question question;
	uint64_t read_at; /* atomic; 0: not yet */
	bool is_gone;     /* atomic: it was read too late */
	bool is_seen;     /* atomic: a sample came afterwards */
};

/*
 * What is known of a thread or a stack, mostly an address; atomic one by one: wrong ones
 * are a detour.
 */
struct place {
	uint64_t id, value;
};

struct depths {
	struct asked questions[QUESTIONS];
	uint64_t asked, taken; /* only the drain writes the first */
	sem_t news;
	uint64_t answered; /* of the questions, guarded by lock, */
	struct shelf *answers;	/* as this */
	pthread_mutex_t lock;
	struct shelf *later; /* guarded by */
	pthread_mutex_t later_lock;
	pthread_cond_t has_answered;
	/* Where stacks begin, by pid and page: a thread may have many. */
	struct place tops[TOPS];
	struct place ends[TIDS]; /* where nothing could be read */
	struct place interrupted[TIDS]; /* where handlers have its sp */
	struct place needs[TIDS]; /* by pid: bytes that its threads needed */
	struct {
		uint32_t tid;
		size_t size;
	} tries[TIDS]; /* of the reading thread */
	bool is_running, is_over;
	int realtime;
	pthread_t thread;
	struct {
		struct depths_place place;
		uint8_t bytes[DEPTHS_SIZE_MAX];
	} read;
};

/* ADDRESS is known to be where nothing of TID can be read. */
bool depths_is_end(const struct depths *depths, uint32_t tid, uint64_t address);
void depths_learn_end(struct depths *depths, uint32_t tid, uint64_t address);
/* For the reading thread: bytes to read for QUESTION, its overlap with them. */
size_t depths_size(
	struct depths *depths, const struct depths_question *question);

#endif
