/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares dwell's unwinder with another library (--check-unwinding): both
 * unwind each stack copy of a recording, from the same registers, bytes and
 * files.
 */
#ifndef DWELL_REPORT_CHECK_UNWIND_CHECK_H
#define DWELL_REPORT_CHECK_UNWIND_CHECK_H

#include "report/check/judge.h"
#include "report/result/result.h"

/* How two chains of the same stack compare. */
enum unwind_verdict {
	UNWIND_VERDICT_SAME,
	UNWIND_VERDICT_DWELL_SHORTER, /* dwell's chain is the beginning of the other */
	UNWIND_VERDICT_JUDGE_SHORTER, /* the other chain is the beginning of dwell's */
	UNWIND_VERDICT_DIFFERENT, /* the chains have a frame with other callers */
	UNWIND_VERDICTS
};

/* A frame behind which chains differ. */
struct unwind_example {
	uint32_t dso;
	uint64_t address; /* linked address of the last common frame */
	uint64_t stacks;
	/* The callers in the first of these stacks; 0: unknown DSO. */
	struct unwind_caller {
		uint64_t address; /* linked address, or the address */
		uint32_t dso;
		bool has_dso;
	} dwell, judge;
};

struct unwind_check {
	const struct judge *judge;
	const struct maps *maps; /* borrowed from the result */
	uint64_t stacks;	 /* compared stacks */
	uint64_t n[UNWIND_VERDICTS];
	uint64_t empty; /* stack copies without bytes or registers */
	/* stacks of 32-bit processes, and of processors the judge lacks */
	uint64_t unsupported;
	uint64_t missing; /* files that were not found, by either side */
	ARRAY(struct unwind_dso {
		uint64_t steps; /* from a frame in this DSO to its caller, the
		                 * same in both chains */
		uint64_t n
			[UNWIND_VERDICTS]; /* stacks by the DSO of the last common
		                       * frame; UNWIND_VERDICT_SAME is not counted */
	})
	dsos;				       /* by DSO number of .maps */
	ARRAY(struct unwind_example) examples; /* of UNWIND_VERDICT_DIFFERENT */
};

/* Returns the judge NAME; NULL: the first that this build has. */
struct error *unwind_check_find_judge(
	const char *name, const struct judge **ret) _must_check_;
/*
 * Checks all stack copies of RESULT, of one recording after result_prepare(),
 * that pass the filters. It is an error if the recording has no stack copies.
 * The caller calls unwind_check_deinit() for RET also after an error.
 */
struct error *unwind_check_run(struct result *result, const struct judge *judge,
	struct unwind_check *ret) _must_check_;
void unwind_check_deinit(struct unwind_check *check);

/* Appends CHECK as text, or as a table for programs (VIEW: table.h). */
void unwind_check_print(const struct unwind_check *check, struct strbuf *out);
void unwind_check_put_table(
	const struct unwind_check *check, const char *view, struct strbuf *out);
/*
 * Returns an error if more than MAX_PERCENT % of the compared stacks are
 * UNWIND_VERDICT_DIFFERENT.
 */
struct error *unwind_check_limit(
	const struct unwind_check *check, double max_percent) _must_check_;

#endif
