/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds the copies of registers and stacks in samples (PERF_SAMPLE_REGS_USER
 * and STACK_USER) to call chains. Several threads unwind the stacks of one
 * recording and share the rules of its code. Truncated stacks are completed
 * after all samples were read (stack_stitch.h).
 */
#ifndef DWELL_REPORT_UNWIND_UNWINDING_H
#define DWELL_REPORT_UNWIND_UNWINDING_H

#include "common/file/reader.h"
#include "common/unwind/unwind.h"
#include "common/util/json.h"
#include "report/unwind/rules_by_address.h"
#include "report/unwind/stack_stitch.h"

/* Entries of one chain, markers included. */
#define UNWINDING_CHAIN_MAX (RECORD_SIZE_MAX / 8u)

/*
 * Counts of unwound stack copies: how many are complete, and why others are
 * not.
 */
struct unwound {
	uint64_t stacks;
	uint64_t ends[UNWIND_ENDS]; /* why unwinding of the copy ended */
	/* Not in .ends: without a copy; of the requested depth. */
	uint64_t empty, limited;
	uint64_t no_file; /* not in .ends: in files that could not be opened */
	/* Of UNWIND_TRUNCATED: completed by reading the process's memory. */
	uint64_t completed;
	uint64_t joined;  /* of UNWIND_TRUNCATED: completed by other samples */
	uint64_t spliced; /* continued by the kernel's frame pointers */
	uint64_t guessed; /* have frames found only by frame pointers */
};

void unwound_add(struct unwound *into, const struct unwound *from);
/*
 * Returns the counts of dwell's recorder, if it unwound the stacks; else
 * zeroes.
 */
struct unwound unwound_recorded(struct reader *reader);
/*
 * Appends "23097 (99.85 % whole, 440 of them joined; 34 longer than their copy;
 * 30 of these go on by frame pointers)".
 */
void unwound_print(const struct unwound *unwound, struct strbuf *out);
/* Writes the same counts as an object. */
void unwound_put_json(
	const struct unwound *unwound, const char *key, struct json *json);

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
