/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of stacks that were unwound: how many are whole, how they became
 * so, and why the others aren't.
 */
#ifndef DWELL_RECORD_UNWIND_STACKS_H
#define DWELL_RECORD_UNWIND_STACKS_H

#include "common/unwind/unwind.h"
#include "common/util/strbuf.h"

struct stacks {
	uint64_t chosen;    /* by frame pointers, as --call-graph auto chose */
	uint64_t all;       /* samples with the user's registers, but these */
	uint64_t limited;   /* of them: as deep as --max-stack allows */
	uint64_t whole;     /* of them: up to the thread's beginning; of these */
	uint64_t completed; /* by what was read of the living process */
	uint64_t joined;    /* by another stack of the same thread */
	uint64_t spliced;   /* not whole: goes on as frame pointers tell */
	uint64_t framed;    /* not whole: all of it is by frame pointers */
	uint64_t guessed;   /* of all: pass code without rules nevertheless */
	uint64_t made;      /* of UNWIND_NO_RULE: in code without a file */
	uint64_t refused;   /* what was read of the process made no sense, or */
	uint64_t unread;    /* wasn't all, or more than a record holds */
	uint64_t empty; /* not whole: nothing was copied, as inside execve(2) */
	uint64_t unfaulted; /* the same, in a page fault that may be the stack's */
	uint64_t ends[UNWIND_ENDS]; /* why the others end */
	uint64_t small; /* of UNWIND_TRUNCATED: larger copies were possible */
};

void stacks_add(struct stacks *sum, const struct stacks *stacks);
/* As text, key and value each with its NUL, for the section "meta". */
void stacks_write(const struct stacks *stacks, struct strbuf *out);
/*
 * A line for all, one with a remedy if many end early, and verbose ones for
 * each kind.
 */
void stacks_tell(const struct stacks *stacks);

#endif
