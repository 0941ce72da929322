/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callchains from the copies of registers and stacks that samples carry
 * (PERF_SAMPLE_REGS_USER and STACK_USER). All of one recording are unwound by
 * as many threads as there are, which share what is known of its code; stacks
 * that are longer than their copy are completed when all were seen (stack_stitch.h).
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

/* All three are borrowed for the life of what is returned. */
struct unwinding *unwinding_create(struct reader *reader,
	const struct survey *survey, struct files *files);
void unwinding_destroy(struct unwinding *unwinding);
/* What all of it is unwound by; borrowed. */
struct codes *unwinding_codes(struct unwinding *unwinding);

/*
 * What one thread needs; owned by UNWINDING. Make them before the threads. With
 * IS_SECOND nothing is remembered of what it takes.
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
	UNWINDING_NOTHING, /* there is no stack: SAMPLE is as it was */
	UNWINDING_DONE,
	UNWINDING_CUT, /* SAMPLE has what its copy holds, and more may be found */
};
/*
 * SAMPLE's stack will be unwound together with others, at most so many; it is
 * borrowed until unwinding_walk(), which does that.
 */
#define UNWINDING_AT_ONCE UNWIND_TASKS_MAX
void unwinding_add(struct unwinding_thread *thread,
	const struct unwinding_place *place, const struct sample *sample);
void unwinding_walk(struct unwinding_thread *thread);
/*
 * Of each that was added, in the same order: gives SAMPLE a callchain with its
 * user's part: the sampled address, then for each caller one byte before the
 * return address, which is in the call. It is borrowed until unwinding_clear(),
 * which is due once there is no room.
 */
enum unwinding_result unwinding_take(struct unwinding_thread *thread,
	const struct unwinding_place *place, struct sample *sample);
bool unwinding_has_room(const struct unwinding_thread *thread);
void unwinding_clear(struct unwinding_thread *thread);

/*
 * The stack that was cut last is remembered for unwinding_finish(). The first
 * N_OWN entries of its chain are of its copy: what frame pointers tell behind
 * them gives way to what completes it.
 */
struct unwinding_cut {
	uint32_t number; /* THREAD's */
	size_t n_own;
};
struct unwinding_cut unwinding_last_cut(const struct unwinding_thread *thread);

/* All stacks were taken: completes what can be. */
void unwinding_finish(struct unwinding *unwinding);
/*
 * Writes the callers that CUT lacks, as above, at most ROOM, and gives their
 * number. 0: nobody knows them.
 */
size_t unwinding_complete(const struct unwinding_thread *thread, uint32_t cut,
	uint64_t *out, size_t room);

/*
 * For who takes all once more: SAMPLE, which stands at POSITION and was taken
 * last by THREAD, gets the callers that were found for it, if there are any,
 * with the mark of where they are from.
 */
void unwinding_complete_sample(struct unwinding *unwinding,
	struct unwinding_thread *thread, uint64_t position,
	struct sample *sample);

/* After unwinding_finish(). */
struct unwound unwinding_counts(const struct unwinding *unwinding);
/* Says which files there were no rules for, because they aren't here. */
void unwinding_tell(const struct unwinding *unwinding);

#endif
