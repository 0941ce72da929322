/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds the copies of registers and stacks in samples (PERF_SAMPLE_REGS_USER
 * and STACK_USER) to call chains. Several threads unwind the stacks of one
 * recording and share the rules of its code. Truncated stacks are completed
 * after all samples were read (stitch.h).
 */
#ifndef DWELL_REPORT_UNWIND_RECORDED_UNWINDING_H
#define DWELL_REPORT_UNWIND_RECORDED_UNWINDING_H

#include "common/file/reader.h"
#include "common/unwind/stack_counts.h"
#include "common/unwind/unwind.h"
#include "report/unwind/address_rules.h"
#include "report/unwind/stitch.h"

/* Limit of the entries of one call chain, PERF_CONTEXT_* markers included. */
#define UNWINDING_CHAIN_MAX (RECORD_SIZE_MAX / 8u)

struct recorded_unwinding; /* the unwinding of one recording */

/* Returns the architecture of the recording's 64-bit processes. */
enum unwind_arch recorded_unwinding_arch(const struct reader *reader);

/* READER, SURVEY and FILES are borrowed until recorded_unwinding_destroy(). */
struct recorded_unwinding *recorded_unwinding_create(struct reader *reader,
	const struct survey *survey, struct files *files);
void recorded_unwinding_destroy(struct recorded_unwinding *unwinding);
/* Returns the rules of the recording's code; borrowed. */
struct address_rules *recorded_unwinding_rules(
	struct recorded_unwinding *unwinding);

/*
 * Creates the state of one unwinding thread, owned by UNWINDING. Call this
 * before the threads start. IS_SECOND: a second pass over the samples, which
 * stores no frames for the completion of truncated stacks.
 */
struct recorded_unwinding_thread;
struct recorded_unwinding_thread *recorded_unwinding_add_thread(
	struct recorded_unwinding *unwinding, bool is_second);

/* The event, address space, time and file position of a sample. */
struct recorded_unwinding_place {
	size_t event;
	uint32_t space;
	uint64_t time, position;
};

enum recorded_unwinding_result {
	UNWINDING_NOTHING, /* no stack copy: SAMPLE keeps its recorded call
	                    * chain */
	UNWINDING_DONE,
	UNWINDING_CUT, /* truncated stack: SAMPLE has the frames of its stack
	                * copy */
};
/*
 * Adds SAMPLE's stack copy to the batch, of at most UNWINDING_AT_ONCE stack
 * copies, that the next recorded_unwinding_walk() unwinds. SAMPLE is borrowed until
 * recorded_unwinding_walk() returns.
 */
#define UNWINDING_AT_ONCE UNWIND_TASKS_MAX
void recorded_unwinding_add(struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_place *place,
	const struct sample *sample);
void recorded_unwinding_walk(struct recorded_unwinding_thread *thread);
/*
 * Sets SAMPLE's call chain to the unwound stack. Call recorded_unwinding_take() after
 * recorded_unwinding_walk() for each added sample, in the order of recorded_unwinding_add(). The
 * user part of the chain is the sampled address and, for each caller, the
 * return address minus 1, which is inside the call instruction. The chain is
 * borrowed until recorded_unwinding_clear(), which must be called when
 * recorded_unwinding_has_room() is false.
 */
enum recorded_unwinding_result recorded_unwinding_take(
	struct recorded_unwinding_thread *thread,
	const struct recorded_unwinding_place *place, struct sample *sample);
bool recorded_unwinding_has_room(
	const struct recorded_unwinding_thread *thread);
void recorded_unwinding_clear(struct recorded_unwinding_thread *thread);

/*
 * Identifies the last truncated stack for recorded_unwinding_complete(). The first
 * .n_own entries of the stack's call chain are from the stack copy. The missing
 * callers that recorded_unwinding_complete() returns replace the other entries, which
 * are from frame pointers.
 */
struct recorded_unwinding_cut {
	uint32_t number; /* number of the truncated stack in its thread */
	size_t n_own;
};
struct recorded_unwinding_cut recorded_unwinding_last_cut(
	const struct recorded_unwinding_thread *thread);

/*
 * Completes truncated stacks. Call this after recorded_unwinding_take() of all samples.
 */
void recorded_unwinding_finish(struct recorded_unwinding *unwinding);
/*
 * Writes up to ROOM missing callers of CUT, the number of a truncated stack of
 * THREAD, to OUT as return addresses minus 1. Returns the number of callers; 0:
 * not known.
 */
size_t recorded_unwinding_complete(
	const struct recorded_unwinding_thread *thread, uint32_t cut,
	uint64_t *out, size_t room);

/*
 * In a second pass over the samples: appends the missing callers of SAMPLE's
 * truncated stack, with a mark of their origin (frame_origin.h). SAMPLE is at
 * POSITION, and was the sample of THREAD's last recorded_unwinding_take().
 */
void recorded_unwinding_complete_sample(struct recorded_unwinding *unwinding,
	struct recorded_unwinding_thread *thread, uint64_t position,
	struct sample *sample);

/* Returns the counts of all threads. Call this after recorded_unwinding_finish(). */
struct stack_counts recorded_unwinding_counts(
	const struct recorded_unwinding *unwinding);
/* Prints messages about an unsupported architecture and missing files. */
void recorded_unwinding_report_missing(
	const struct recorded_unwinding *unwinding);

#endif
