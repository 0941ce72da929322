/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of unwound stacks: how many are complete, how they were completed, and
 * why the others are incomplete.
 */
#ifndef DWELL_RECORD_UNWIND_STACKS_H
#define DWELL_RECORD_UNWIND_STACKS_H

#include "common/unwind/unwind.h"
#include "common/util/strbuf.h"

struct stacks {
	uint64_t chosen;    /* unwound by frame pointers, as --call-graph auto
			       chose */
	uint64_t all;	    /* all other samples with user registers */
	uint64_t limited;   /* of ALL: as deep as --max-stack allows */
	uint64_t whole;	    /* of ALL: complete; of these */
	uint64_t completed; /* completed from the running process */
	uint64_t joined;  /* completed from another stack of the same thread */
	uint64_t spliced; /* incomplete: continued by frame pointers */
	uint64_t framed;  /* incomplete: entirely by frame pointers */
	uint64_t guessed; /* of ALL: with frames found by heuristics in code
			     without rules */
	uint64_t made;	  /* of UNWIND_NO_RULE: in JIT code */
	uint64_t no_file; /* incomplete: in a file that could not be opened */
	uint64_t refused; /* the part read from the process was not plausible */
	uint64_t unread;  /* the part read was not complete, or too long for a
			     record */
	uint64_t empty;	  /* incomplete: no copy, as inside execve(2) */
	uint64_t unfaulted; /* incomplete: no copy, in a page fault that can be
			       of the stack */
	uint64_t ends[UNWIND_ENDS]; /* reasons of the other incomplete stacks */
	uint64_t small; /* of UNWIND_TRUNCATED: the copy could have been larger
			 */
};

void stacks_add(struct stacks *sum, const struct stacks *stacks);
/*
 * Appends keys and values as text, each with its NUL, for the section "meta".
 */
void stacks_write(const struct stacks *stacks, struct strbuf *out);
/*
 * Prints the share of complete stacks, the most frequent reason and its remedy
 * if many are incomplete, and, as verbose messages, all reasons.
 */
void stacks_report(const struct stacks *stacks);

#endif
