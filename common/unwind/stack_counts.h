/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of unwound stacks: how many are complete, how they were completed, and
 * what cut the others. The recorder writes the counts of the stacks that it unwinds
 * to the section "meta" (doc/format.md); the report counts the stacks that it unwinds,
 * and reads the counts of the recorder.
 */
#ifndef DWELL_COMMON_UNWIND_STACK_COUNTS_H
#define DWELL_COMMON_UNWIND_STACK_COUNTS_H

#include "common/unwind/unwind.h"
#include "common/util/strbuf.h"

struct stack_counts {
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
	uint64_t ends[UNWIND_ENDS]; /* the other cut stacks, by reason; 0 for
				       UNWIND_ROOT */
	uint64_t small; /* of .ends[UNWIND_TRUNCATED]: --call-graph allows a
			   larger copy; not written */
};

void stack_counts_add(
	struct stack_counts *sum, const struct stack_counts *counts);
/*
 * Appends each count's key and value as two NUL-terminated texts, for the
 * section "meta".
 */
void stack_counts_write(const struct stack_counts *counts, struct strbuf *out);
/* Adds the number VALUE to the count of KEY, if KEY is of a count. */
void stack_counts_read(
	struct stack_counts *counts, const char *key, const char *value);

#endif
