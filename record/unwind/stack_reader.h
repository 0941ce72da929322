/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that are deeper than a sample's copy, or have a page that was never
 * touched, where the kernel's copy ends: what lies behind it is read from the
 * living process, as soon as the sample has come out of the ring, by a
 * thread of its own. The process runs on meanwhile, so what is read may be of
 * another moment: who uses it must look whether it makes sense.
 *
 * Whoever asks never waits. When too much is asked, or it takes too long, the
 * oldest answers are lost, and new questions aren't taken.
 */
#ifndef DWELL_RECORD_UNWIND_STACK_READER_H
#define DWELL_RECORD_UNWIND_STACK_READER_H

#include "common/util/error.h"

/* Bytes that are read of a stack at most. */
#define DEPTHS_SIZE_MAX MIB(1)
/*
 * So much of a copy's end is read, too: if return addresses in there aren't the
 * same any more, those behind it are of another moment.
 */
#define DEPTHS_OVERLAP KIB(16)

struct depths;

struct depths *depths_create(void);
/* Also stops it. */
void depths_destroy(struct depths *depths);

/* REALTIME is for priority_raise(), or else nice -20. */
struct error *depths_start(struct depths *depths, int realtime) _must_check_;

/* What goes on at ADDRESS, in the sample of TID at TIME. */
struct depths_question {
	uint32_t pid, tid;
	uint64_t time, start, address; /* START: the copy's, 0: not known */
	size_t overlap; /* bytes before ADDRESS that are read, too */
	uint64_t from;  /* it goes on here, on another stack; 0: it doesn't */
	uint64_t mask;  /* then: the signals that are blocked there */
};
/* For one thread. False: it isn't taken, or nothing is there. */
bool depths_ask(
	struct depths *depths, const struct depths_question *question);
/* What a sample has of its thread's stack. */
struct depths_seen {
	uint32_t tid;
	uint64_t time, stack_pointer;
	const uint8_t *bytes; /* SIZE of them, from there on */
	size_t size;
};
/*
 * For the same thread. What was asked for before, and not read by then, is gone
 * if the stack has become shorter than that. Of the first sample after it was
 * read what lies before the question's address is kept.
 */
void depths_see(struct depths *depths, const struct depths_seen *seen);

/* Where an answer is from, as in its question; FROM is never 0. */
struct depths_place {
	uint64_t address, from;
};
/*
 * For any thread: what was read for TID's sample of TIME; RET has room for
 * DEPTHS_SIZE_MAX. 0 if there is nothing. Waits if it was asked and not
 * answered yet.
 */
size_t depths_find(struct depths *depths, uint32_t tid, uint64_t time,
	uint8_t *ret, struct depths_place *place_ret);
/*
 * For any thread: what lay before the address that was asked for when the next
 * sample after the answer was taken, to RET, which has room for DEPTHS_OVERLAP;
 * less than the overlap, and 0 if there was none, or its copy wasn't there.
 */
size_t depths_find_later(struct depths *depths, uint32_t tid, uint64_t time,
	uint8_t *ret);
/*
 * For any thread: a stack of process PID is known to begin between STACK_POINTER
 * and ADDRESS, which are a copy's length apart at most: so ADDRESS lies behind
 * it. Which thread's doesn't matter: coroutines have many, and wander.
 */
bool depths_is_beyond(const struct depths *depths, uint32_t pid,
	uint64_t stack_pointer, uint64_t address);
/* The same: one begins at TOP: no more has to be read. */
void depths_learn(struct depths *depths, uint32_t pid, uint64_t top);
/*
 * The same: one that goes on at TO has FROM in it: none begins in between, as
 * one may have done that is gone.
 */
void depths_doubt(
	struct depths *depths, uint32_t pid, uint64_t from, uint64_t to);
/*
 * The same: handlers of TID's signals have a stack of their own, and AT lies the
 * sp of what they interrupt. The kernel puts each at the same place.
 */
void depths_learn_interrupted(struct depths *depths, uint32_t tid, uint64_t at);
/* For any thread: that; 0: it isn't known. */
uint64_t depths_interrupted_at(const struct depths *depths, uint32_t tid);
/*
 * The same: a thread of PID has SIZE bytes behind its copy: so much is read of
 * those whose beginning isn't known.
 */
void depths_need(struct depths *depths, uint32_t pid, uint64_t size);

#endif
