/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds the copies of registers and stacks in samples (PERF_SAMPLE_REGS_USER
 * and STACK_USER) to call chains. Several threads unwind the stacks of one
 * recording and share the rules of its code. Truncated stacks are completed
 * after all samples were read (stack_stitch.h).
 */
#ifndef DWELL_REPORT_UNWIND_UNWINDING_H
#define DWELL_REPORT_UNWIND_UNWINDING_H

#include "common/unwind/unwind.h"
#include "report/unwind/rules_by_address.h"
#include "report/unwind/stack_stitch.h"
#include "report/unwind/unwound.h"

/* Entries of one chain, markers included. */
#define UNWINDING_CHAIN_MAX (RECORD_SIZE_MAX / 8u)

struct unwinding; /* of one recording */

/* All three are borrowed for the life of the result. */
struct unwinding *unwinding_create(struct reader *reader,
	const struct survey *survey, struct files *files);
void unwinding_destroy(struct unwinding *unwinding);
/* Returns the rules of the recording's code; borrowed. */
struct address_rules *unwinding_rules(struct unwinding *unwinding);

/*
 * Creates the state of one thread; owned by UNWINDING. Call this before the
 * threads start. IS_SECOND: a second pass over the samples, which stores no
 * frames for stitching.
 */
struct unwinding_thread;
struct unwinding_thread *unwinding_add_thread(
	struct unwinding *unwinding, bool is_second);

/* Where and when a sample was taken. */
struct unwinding_place {
	size_t event;
	uint32_t space;
	uint64_t time, position;
};

enum unwinding_result {
	UNWINDING_NOTHING, /* no stack copy: SAMPLE has its recorded chain */
	UNWINDING_DONE,
	UNWINDING_CUT, /* truncated: SAMPLE has the frames of its copy */
};
/*
 * Adds SAMPLE's stack to the batch that unwinding_walk() unwinds, of at most
 * UNWINDING_AT_ONCE stacks. SAMPLE is borrowed until then.
 */
#define UNWINDING_AT_ONCE UNWIND_TASKS_MAX
void unwinding_add(struct unwinding_thread *thread,
	const struct unwinding_place *place, const struct sample *sample);
void unwinding_walk(struct unwinding_thread *thread);
/*
 * For each added sample, in the same order: sets SAMPLE's call chain. Its user
 * part is the sampled address and, for each caller, the return address minus 1,
 * which is inside the call. The chain is borrowed until unwinding_clear(),
 * which must be called when unwinding_has_room() is false.
 */
enum unwinding_result unwinding_take(struct unwinding_thread *thread,
	const struct unwinding_place *place, struct sample *sample);
bool unwinding_has_room(const struct unwinding_thread *thread);
void unwinding_clear(struct unwinding_thread *thread);

/*
 * Identifies the last truncated stack for unwinding_complete(). The first N_OWN
 * entries of its chain are from the stack copy; the others, from frame
 * pointers, are replaced by the completion.
 */
struct unwinding_cut {
	uint32_t number; /* THREAD's */
	size_t n_own;
};
struct unwinding_cut unwinding_last_cut(const struct unwinding_thread *thread);

/* Completes truncated stacks, after all samples were taken. */
void unwinding_finish(struct unwinding *unwinding);
/*
 * Writes up to ROOM missing callers of CUT to OUT, in the format above, and
 * returns their number; 0: not known.
 */
size_t unwinding_complete(const struct unwinding_thread *thread, uint32_t cut,
	uint64_t *out, size_t room);

/*
 * For a second pass: appends the callers found for SAMPLE at POSITION, which
 * THREAD took last, with the mark of their origin.
 */
void unwinding_complete_sample(struct unwinding *unwinding,
	struct unwinding_thread *thread, uint64_t position,
	struct sample *sample);

/* Call after unwinding_finish(). */
struct unwound unwinding_counts(const struct unwinding *unwinding);
/* Reports an unsupported architecture, and missing files. */
void unwinding_report_missing(const struct unwinding *unwinding);

#endif
