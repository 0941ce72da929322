/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of unwound stacks: how many are complete, how they were completed, and
 * what cut the others.
 */
#ifndef DWELL_RECORD_UNWIND_STACKS_H
#define DWELL_RECORD_UNWIND_STACKS_H

#include "common/unwind/unwind.h"
#include "common/util/strbuf.h"
#include "record/event/selected.h"

struct stacks {
	uint64_t chosen;    /* stacks unwound by frame pointers, as
			       --call-graph auto chose */
	uint64_t all;	    /* all samples with user registers except .chosen */
	uint64_t limited;   /* of .all: as deep as --max-stack allows */
	uint64_t whole;	    /* of .all: complete */
	uint64_t completed; /* of .whole: completed from the running process */
	uint64_t joined;  /* of .whole: completed from a stack of the thread */
	uint64_t spliced; /* cut: continued by frame pointers */
	uint64_t framed;  /* cut: entirely by frame pointers */
	uint64_t guessed; /* of .all: with frames found by heuristics in code
			     without unwind rules */
	uint64_t
		late; /* of .all: with interpreted functions that were read from
			       the process, after the sample */
	/*
	 * of .all: the number of interpreted groups of frames is not that of
	 * the native frames (merge_frames.h): MERGE_SHIFTED, MERGE_ALONE
	 */
	uint64_t shifted, alone;
	/*
	 * of .ends[UNWIND_NO_RULE]: in JIT code, and in code of the compilers
	 * GHC and Free Pascal
	 */
	uint64_t made, haskell, pascal;
	uint64_t no_file; /* cut: in a file that could not be opened */
	/* samples whose stack, read from the process, was implausible */
	uint64_t refused;
	uint64_t unread;    /* the data read from the process were incomplete,
			     or too long for a record */
	uint64_t empty;	    /* cut: no stack copy, as inside execve(2) */
	uint64_t unfaulted; /* cut: no stack copy, in a page fault that
			       can be of the stack itself */
	uint64_t ends[UNWIND_ENDS]; /* the other cut stacks, by reason */
	uint64_t small; /* of .ends[UNWIND_TRUNCATED]: --call-graph allows a
			   larger copy */
};

void stacks_add(struct stacks *sum, const struct stacks *stacks);
/*
 * Appends each count's key and value as two NUL-terminated texts, for the
 * section "meta".
 */
void stacks_write(const struct stacks *stacks, struct strbuf *out);
/*
 * Prints the percentage of complete stacks, and where the stacks of SELECTION
 * were unwound. If there are many cut stacks, prints the most frequent reason
 * and its remedy. Prints all reasons with -v.
 */
void stacks_report(
	const struct stacks *stacks, const struct selection *selection);

#endif
