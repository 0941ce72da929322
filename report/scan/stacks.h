/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of stacks: every distinct pair of context and call chain is stored
 * once, with the sums of its periods and samples. Addresses are not resolved
 * here. Memory grows with the number of distinct stacks; a sample of a known
 * stack costs one hash and one addition.
 */
#ifndef DWELL_REPORT_SCAN_STACKS_H
#define DWELL_REPORT_SCAN_STACKS_H

#include "common/file/reader.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/hash.h"
#include "report/scan/chain.h"
#include "report/survey/thread_ids.h"

/*
 * Limit of the values (report/scan/sample_key.h) by which one report groups
 * rows.
 */
#define STACKS_VALUES_MAX 24u
/* cpumode of an address that may be a user or a kernel address. */
#define STACKS_ANY_MODE 8u
/* cpumode of a sample without an address. */
#define STACKS_NOWHERE 9u

/*
 * The keys by which rows can be grouped, besides code. Keys that are not
 * requested are 0.
 */
struct context {
	uint32_t event;
	uint32_t space, comm; /* numbers of common/maps/maps.h */
	struct thread_ids ids;
	uint32_t cpu;
	bool is_filtered; /* samples count in totals, but in no row */
	uint8_t n_values;
	bool is_rest;	 /* stacks beyond the memory limit */
	uint16_t input;	 /* number of the recording (inputs.h) */
	uint64_t values; /* index of the first in stacks->values */
};

/* A code address in one address space; resolved once. */
struct frame {
	uint64_t ip;
	uint32_t space;	 /* MAPS_KERNEL for kernel addresses */
	uint16_t input;	 /* input of the address space */
	uint8_t cpumode; /* MISC_KERNEL, MISC_USER, ... */
	/*
	 * not a return address: the address of a caller at which the thread
	 * entered the kernel
	 */
	bool is_exact;
};

/*
 * The counted parts of a sample, or of .n samples that differ only in their
 * times and periods: .period is their sum then, and .time that of the first.
 * Without a call chain, the stack is the sampled address alone.
 */
struct stack_sample {
	uint64_t ip, period, n_chain; /* of .chain, markers included */
	uint64_t time;
	const uint8_t *chain; /* borrowed from the sample */
	uint8_t cpumode;
	uint8_t n_marks;  /* ignored entries (frame_origin.h) */
	uint16_t mark_at; /* index of the first ignored entry */
	uint32_t n;	  /* number of samples */
	/* of the time of waits that were added up (offcpu_part.span), or 0 */
	uint32_t span;
};

static inline struct stack_sample stack_sample_of(
	const struct sample *sample, bool has_chain)
{
	return (struct stack_sample){ sample->ip, sample->period,
		has_chain ? sample->n_chain : 0, sample->time, sample->chain,
		sample->cpumode, 0, 0, 1, 0 };
}

/* Returns whether A and B have the same stack; then they have equal marks. */
static inline bool stack_sample_is_like(
	const struct stack_sample *a, const struct stack_sample *b)
{
	return a->ip == b->ip && a->cpumode == b->cpumode &&
		a->n_chain == b->n_chain &&
		(!a->n_chain ||
			!memcmp(a->chain, b->chain,
				a->n_chain * sizeof(uint64_t)));
}

/*
 * Makes SAMPLE ignore the origin mark in its chain. Only for events with
 * frame_origin_is_recorded().
 */
void stack_sample_skip_mark(struct stack_sample *sample);

struct stack {
	uint64_t hash; /* of the chain, without the context */
	uint64_t period, samples;
	uint32_t context;
	uint32_t chain; /* offset in .chains of the segment */
};

/*
 * The time of one sample, in ns, and the number of its stack. .span is that of
 * struct stack_sample.
 */
struct stack_time {
	uint64_t time, period;
	uint32_t span;
	uint32_t stack; /* HASH_NONE: the sample is not counted any more */
};

/*
 * Stacks are stored in segments, which are never copied. stacks_move() frees
 * the segments one by one. Chains (chain.h) are in the order of their stacks.
 */
#define SEGMENT_STACKS 65536u

struct stacks_segment {
	struct stack *stacks; /* SEGMENT_STACKS elements, owned */
	uint32_t n;
	struct strbuf chains;
};

/* Functions of a context that report/transform finds: locations + 1; 0: none. */
struct context_functions {
	uint32_t parent;   /* refine.h */
	uint32_t waits_in; /* waits_in.h */
};

/* Stacks whose chains consist of location numbers. */
struct stacks {
	ARRAY(struct stacks_segment)
	segments; /* all but the last one are full */
	ARRAY(struct context) contexts;
	ARRAY(uint64_t) values; /* values of all contexts */
	/* Of the first contexts, by number; the others have none. */
	ARRAY(struct context_functions) functions;
	struct hash_index by_stack, by_context;
	uint32_t last_context; /* found last, by stacks_context_with() */
	bool keeps_times;
	ARRAY(struct stack_time)
	times; /* if .keeps_times: of each sample, in
					 * the order of counting */
	/*
	 * Borrowed; NULL: no limit. When the limit is reached, samples with new
	 * stacks are counted together, as one stack for each event.
	 */
	struct budget *budget;
	bool is_full;
	uint64_t kept;	   /* bytes reserved from .budget */
	uint64_t reserved; /* part of .kept, for rows that are made later */
};

/*
 * Stacks before resolving, whose chains consist of frame numbers. A type of its own, so
 * that they are not taken for resolved stacks. The numbers of frames in .table are used
 * by stacks_raw_chain() and stacks_move() only.
 */
struct stacks_raw {
	struct stacks table;
	ARRAY(struct frame) frames; /* by number */
	struct hash_index by_frame;
	uint64_t max_frames; /* limit for each chain; 0: no limit */
	bool keeps_callers;  /* stores the outermost frames of long chains */
};

void stacks_deinit(struct stacks *stacks);
void stacks_raw_deinit(struct stacks_raw *stacks);

/*
 * Returns the cpumode of the entries behind a marker of a call chain
 * (ABI_CONTEXT_FIRST and above): MISC_KERNEL, MISC_USER, ...
 */
uint8_t stacks_marker_mode(uint64_t marker);
/*
 * Returns false if CHAIN's N entries contain an unknown context marker:
 * unwinding by frame pointers has then read memory that is not a stack frame.
 * perf drops such chains, too.
 */
bool stacks_chain_is_valid(const uint8_t *chain, uint64_t n);
/*
 * Returns the frame of IP in the address space SPACE; kernel addresses are in
 * MAPS_KERNEL instead.
 */
struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode);

/* State of a walk through a call chain, from the innermost entry on. */
struct stacks_walk {
	/* cpumode of the next entries; at first of the sample */
	uint8_t cpumode;
	bool is_exact; /* is_exact of the next frame */
};
/*
 * Sets RET to the frame of ENTRY, a call chain entry, in address space SPACE.
 * Returns false if ENTRY is a context marker.
 */
bool stacks_walk(struct stacks_walk *walk, uint32_t space, uint64_t entry,
	struct frame *ret);

/* Returns the frame of ADDRESS in CONTEXT's address space. */
struct frame stacks_frame_in(
	const struct context *context, uint64_t address, uint8_t cpumode);

/*
 * Adds CONTEXT, without values, if STACKS does not have it, and returns the
 * number of the context.
 */
uint32_t stacks_context(struct stacks *stacks, const struct context *context);
/*
 * Adds CONTEXT with N VALUES if STACKS does not have it, and returns the number
 * of the context. VALUES must not be part of STACKS.
 */
uint32_t stacks_context_with(struct stacks *stacks,
	const struct context *context, const uint64_t *values, size_t n);
/*
 * Returns the values of CONTEXT; borrowed until the next context is added; NULL
 * if there are none.
 */
static inline const uint64_t *stacks_values(
	const struct stacks *stacks, const struct context *context)
{
	return context->n_values ? stacks->values.at + context->values : NULL;
}

/*
 * Adds CONTEXT with FUNCTIONS, even if STACKS has it, and returns the number of the
 * context. CONTEXT must not be part of STACKS.
 */
uint32_t stacks_add_context(struct stacks *stacks,
	const struct context *context, struct context_functions functions);
static inline struct context_functions stacks_functions(
	const struct stacks *stacks, uint32_t context)
{
	return context < stacks->functions.n ? stacks->functions.at[context]
					     : (struct context_functions){ 0 };
}

/*
 * Adds FRAME if STACKS does not have it, and returns the number of the frame.
 */
uint32_t stacks_frame_number(
	struct stacks_raw *stacks, const struct frame *frame);

void stacks_add(struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample);

/*
 * The two steps of stacks_add(), for batches of samples. stacks_prepare()
 * prefetches memory for the second step and returns a hash of SAMPLE's stack;
 * stacks_add_prepared() adds SAMPLE.
 */
uint64_t stacks_prepare(const struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample);
void stacks_add_prepared(struct stacks_raw *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash);
/*
 * Prefetches more memory between stacks_prepare() and stacks_add_prepared();
 * optional.
 */
void stacks_fetch(
	const struct stacks_raw *stacks, uint32_t context, uint64_t hash);

/*
 * Maps frame numbers to new numbers, separately for the sampled frame, the
 * second frame (the sampled address again) and the callers. If a second frame
 * or a caller has several new numbers (a run), its entry is STACKS_RUN | INDEX;
 * .runs[INDEX] is the count of new numbers, which follow in .runs.
 */
#define STACKS_RUN (UINT32_C(1) << 31)
struct stacks_numbers {
	const uint32_t *sampled;
	const uint32_t *second, *callers; /* or STACKS_RUN | index in .runs */
	const uint32_t *runs;
	/*
	 * For runs; borrowed; NULL: no limit. At the limit, a run is replaced by
	 * its last number.
	 */
	struct budget *budget;
};

/*
 * Moves all stacks of FROM to INTO, replaces the numbers in their chains by
 * NUMBERS, and merges stacks that become equal. FROM has no stacks afterwards.
 */
void stacks_move(struct stacks *into, struct stacks_raw *from,
	const struct stacks_numbers *numbers);

/*
 * Adds the counts of FROM to the stack of INTO that has CONTEXT, a context
 * number of INTO, and the SIZE bytes of CHAIN (chain.h). Returns the number of
 * the stack.
 */
uint32_t stacks_put(struct stacks *into, const struct stack *from,
	uint32_t context, const uint8_t *chain, size_t size);

/*
 * Appends the .times of FROM to those of INTO, and removes them from FROM.
 * NUMBERS has the new number of each stack of FROM, or HASH_NONE.
 */
void stacks_move_times(
	struct stacks *into, struct stacks *from, const uint32_t *numbers);

static inline uint32_t stacks_n(const struct stacks *stacks)
{
	size_t full = stacks->segments.n;

	return full ? (uint32_t)(full - 1) * SEGMENT_STACKS +
			stacks->segments.at[full - 1].n
		    : 0;
}

static inline struct stack *stacks_at(const struct stacks *stacks, uint32_t i)
{
	return &stacks->segments.at[i / SEGMENT_STACKS]
			.stacks[i % SEGMENT_STACKS];
}

/* Returns the chain of stack I, which contains at least the sampled frame. */
static inline struct chain stacks_chain(const struct stacks *stacks, uint32_t i)
{
	const struct stacks_segment *segment =
		&stacks->segments.at[i / SEGMENT_STACKS];
	const uint8_t *chains = (const uint8_t *)segment->chains.at;
	uint32_t at = i % SEGMENT_STACKS;

	return (struct chain){ chains + segment->stacks[at].chain,
		chains +
			(at + 1 < segment->n ? segment->stacks[at + 1].chain
					     : segment->chains.n) };
}

static inline struct chain_raw stacks_raw_chain(
	const struct stacks_raw *stacks, uint32_t i)
{
	return (struct chain_raw){ stacks_chain(&stacks->table, i) };
}

#endif
