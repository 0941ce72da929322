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
#ifndef DWELL_RECORD_DEPTHS_H
#define DWELL_RECORD_DEPTHS_H

#include "common/error.h"

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
	uint64_t time, address;
	size_t overlap; /* bytes before ADDRESS that are read, too */
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

/*
 * For any thread: what was read for TID's sample of TIME; RET has room for
 * DEPTHS_SIZE_MAX. 0 if there is nothing. Waits if it was asked and not
 * answered yet.
 */
size_t depths_find(struct depths *depths, uint32_t tid, uint64_t time,
	uint8_t *ret);
/*
 * For any thread: what lay before the address that was asked for when the next
 * sample after the answer was taken, to RET, which has room for DEPTHS_OVERLAP;
 * less than the overlap, and 0 if there was none, or its copy wasn't there.
 */
size_t depths_find_later(struct depths *depths, uint32_t tid, uint64_t time,
	uint8_t *ret);
/* For any thread: ADDRESS is known to lie behind the beginning of TID's. */
bool depths_is_beyond(
	const struct depths *depths, uint32_t tid, uint64_t address);
/* The same: TID's stack has its beginning at TOP: no more has to be read. */
void depths_learn(struct depths *depths, uint32_t tid, uint64_t top);

#endif
