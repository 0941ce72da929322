/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included only by the files that implement record/unwind/live_unwinding.h. */
#ifndef DWELL_RECORD_UNWIND_LIVE_UNWINDING_PRIVATE_H
#define DWELL_RECORD_UNWIND_LIVE_UNWINDING_PRIVATE_H

#include "common/perf/frame_origin.h"
#include "common/unwind/stack_counts.h"
#include "record/symbols/sampled_code.h"
#include "record/unwind/chain_rewrite.h"
#include "record/unwind/frame_pointer_trial.h"
#include "record/unwind/outer_frame_cache.h"
#include "record/unwind/rules.h"
#include "record/unwind/stack_reader.h"

/* An event, with stack copies or without. */
struct unwinding_event {
	uint64_t id;
	struct chain_rewrite_event event;
	bool in_kernel; /* complete stacks come from BPF */
	bool has_copies, is_auto;
	/*
	 * Age of a sample until which frames of interpreters are read after the
	 * sample, without BPF; 0: never
	 */
	uint64_t live_ns;
	bool is_fault; /* the event samples page faults */
	bool is_small; /* stack copies could be much larger */
	size_t max_stack;
};

/* An address space in the cache of the unwinder. */
struct unwinding_space {
	uint64_t id;	 /* 0: not used yet */
	uint32_t missed; /* generation of the maps in which code was missing; 0:
			    no code was missing */
	uint64_t rules_version; /* rules_version() of the cached rules */
};

/*
 * A cache entry: whether the call before PC is at the end of its function. If
 * .space is 0, the entry is empty.
 */
#define LAST_CALLS 2048u
struct unwinding_last_call {
	uint64_t space, pc;
	bool is_last;
};

struct live_unwinding {
	const struct sampled_code *sampled;
	struct stack_reader *reader;
	struct runtimes *runtimes;
	struct rules *rules;
	struct bpf_unwind *bpf; /* NULL: no BPF */
	struct outer_frames *outer;
	ARRAY(struct unwinding_event) events;
	ARRAY(struct unwinding_space)
	spaces;		/* by number of the address space in the maps */
	uint32_t epoch; /* version of the numbers of spaces */
	uint64_t last_id;
	enum unwind_arch arch;
	struct unwinder *unwinders[3]; /* by PERF_SAMPLE_REGS_ABI_* */
	const struct frame_pointer_trials *trials;
	uint8_t *rest; /* owned; STACK_READER_SIZE_MAX bytes if .reader */
	uint64_t addresses[UNWIND_FRAMES_MAX + FRAME_ORIGIN_MARK_MAX];
	uint64_t slots[UNWIND_FRAMES_MAX];
	/* owned; CHAIN_LINKED_MAX frames; NULL: no sample has such frames */
	struct interpreter_frame *interpreted;
	uint64_t merged[UNWIND_FRAMES_MAX + CHAIN_LINKED_MAX];
	struct unwinding_last_call last_calls[LAST_CALLS];
};

/* The sample that is being unwound. */
struct unwinding_work {
	struct live_unwinding *unwinding;
	const struct unwinding_event *event;
	const struct chain_rewrite *rewrite;
	struct unwinder *unwinder;
	struct rules_place place;
	struct unwind_space space;
	struct unwind_registers registers;
	struct unwind_memory memory;
	struct unwind_chain chain;
	size_t n;   /* number of addresses in the call chain */
	size_t own; /* number of addresses that are from this sample */
	enum frame_origin origin;
	size_t word_size;
	unsigned
		runtimes; /* bits of the process's runtimes that compile code */
	bool has_file; /* for --call-graph auto: the file of the sampled code */
	uint32_t file;
	const char *path;
	struct live_unwinding_outcome *outcome;
	const uint8_t *rest; /* bytes beyond the copy, or of another stack */
	uint64_t rest_at;    /* address of the bytes at .rest */
	size_t rest_size;
};

/*
 * Continues a stack beyond its copy with the stack bytes that were read from
 * the process, if the resulting frames are plausible.
 */
void live_unwinding_read_rest(struct unwinding_work *work);
/*
 * Completes a cut stack from other samples or by frame pointers. Counts
 * the stack in the outcome.
 */
void live_unwinding_finish(struct unwinding_work *work);
/*
 * Uses the kernel's frame pointer chain as the user call chain. Returns false
 * if the kernel recorded no such chain.
 */
bool live_unwinding_use_kernel_chain(struct unwinding_work *work);

/*
 * Returns the bits of the runtimes that the process can have and that compile
 * code. Returns 0 if the sample is too old, or if the process has a jitdump,
 * which is preferred because it contains machine code.
 */
unsigned live_unwinding_compilers(const struct unwinding_work *work);
/*
 * Steps out of FRAME by the first runtime of the process to which its code
 * belongs. WORK is a struct unwinding_work.
 */
enum runtime_result live_unwinding_step_in_runtime(void *work,
	const struct runtime_frame *frame, struct runtime_step *ret);
/*
 * Puts the frames of an interpreter, which BPF sent with the sample, into the
 * call chain of WORK. If BPF does not know the interpreter of the process yet,
 * describes it to BPF.
 */
void live_unwinding_merge_interpreted(struct unwinding_work *work);

#endif
