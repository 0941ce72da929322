/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of record/unwind/unwinding.h share. */
#ifndef DWELL_RECORD_UNWIND_UNWINDING_PRIVATE_H
#define DWELL_RECORD_UNWIND_UNWINDING_PRIVATE_H

#include "common/perf/frame_origin.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/callchain_rewrite.h"
#include "record/unwind/frame_pointer_trial.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/rules.h"
#include "record/unwind/stack_reader.h"
#include "record/unwind/stacks.h"

/* An event whose samples may have copies. */
struct copied_event {
	uint64_t id;
	struct plain_event event;
	bool has_copies, is_auto;
	bool is_fault; /* samples page faults */
	bool is_small; /* its copies could be much larger */
	size_t max_stack;
};

/* An address space as the unwinder's cache knows it. */
struct space {
	uint64_t id;     /* 0: not asked for yet */
	uint32_t missed; /* generation of maps that lacked some code; 0: none */
	uint64_t made;   /* rules_state() */
};

/* Whether the call before PC is the end of its function; SPACE 0: empty. */
#define LAST_CALLS 2048u
struct last_call {
	uint64_t space, pc;
	bool is_last;
};

struct unwinding {
	const struct hits *hits;
	struct depths *depths;
	struct rules *rules;
	struct tails *tails;
	ARRAY(struct copied_event) events;
	ARRAY(struct space) spaces; /* by number in the maps */
	uint32_t epoch;		    /* of these numbers */
	uint64_t last_id;
	enum unwind_arch arch;
	struct unwinder *unwinders[3]; /* by the ABI of the registers */
	const struct choices *choices;
	uint8_t *rest; /* owned; of DEPTHS_SIZE_MAX, if DEPTHS is there */
	uint64_t addresses[UNWIND_FRAMES_MAX + ORIGIN_MARK_MAX];
	uint64_t slots[UNWIND_FRAMES_MAX];
	struct last_call last_calls[LAST_CALLS];
};

/* One sample. */
struct work {
	struct unwinding *unwinding;
	const struct copied_event *event;
	const struct plain *plain;
	struct unwinder *unwinder;
	struct rules_place place;
	struct unwind_space space;
	struct unwind_registers registers;
	struct unwind_memory memory;
	struct unwind_chain chain;
	size_t n; /* addresses that are good; behind the first */
	size_t own; /* they are of this */
	enum origin origin;
	size_t word_size;
	bool has_file; /* of --call-graph auto: where its code is from */
	uint32_t file;
	const char *path;
	struct unwinding_told *told;
	const uint8_t *rest; /* what lies behind the copy, or elsewhere */
	uint64_t rest_at; /* its address */
	size_t rest_size;
};

/*
 * Takes the rest of a stack that goes on behind its copy from what was read of
 * the living process, if that makes sense.
 */
void unwinding_complete(struct work *work);
/* What unwinding alone didn't bring to the thread's beginning; and counts. */
void unwinding_settle(struct work *work);
/* The chain is the kernel's own, by frame pointers; false: there is none. */
bool unwinding_use_frames(struct work *work);

/* --call-graph auto: true if frame pointers are enough, and were taken. */
bool unwinding_choose(struct work *work);
/* Compares the ways, once the stack is unwound. */
void unwinding_learn(struct work *work);

/*
 * The code at PC in WORK's address space, as rules_find(). Notes if there is
 * none, because the code may be mapped later.
 */
bool unwinding_find_code(
	struct work *work, uint64_t pc, struct unwind_code *ret);
/*
 * Replaces each return address of the chain that is outside of its caller by the
 * address before it, which is in the call. A call that does not return is often the
 * last instruction of a function; what follows it is other code. Every reader finds
 * the caller by these addresses.
 */
void unwinding_move_last_calls(struct work *work);

#endif
