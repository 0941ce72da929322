/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts stacks: every distinct pair of context and call chain is stored once,
 * with its periods and samples. Addresses are not resolved here. Memory grows
 * with the number of distinct stacks; a sample of a known stack costs one hash
 * and one addition.
 */
#ifndef DWELL_REPORT_SCAN_STACKS_H
#define DWELL_REPORT_SCAN_STACKS_H

#include "common/file/reader.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "report/scan/chain.h"

/*
 * Limit of the values (report/scan/sample_key.h) by which one report groups
 * rows.
 */
#define STACKS_VALUES_MAX 24u
/* cpumode of an address that may be the process's or the kernel's. */
#define STACKS_ANY_MODE 8u
/* cpumode of a sample without an address. */
#define STACKS_NOWHERE 9u

/*
 * What rows may be grouped by besides code; fields that are not requested are
 * 0.
 */
struct context {
	uint32_t event;
	uint32_t space, comm; /* common/maps/maps.h */
	uint32_t pid, tid, cpu;
	bool is_filtered; /* counts in the total, but in no row */
	uint8_t n_values;
	bool is_rest;    /* stacks for which memory was not enough */
	bool is_dropped; /* its stacks do not count; not compared */
	uint16_t input;  /* that defines the numbers */
	uint64_t values; /* index in .values */
	uint32_t parent; /* a location + 1 (refine.h); not compared before
	                  * that */
};

/* A code address in one address space; resolved once. */
struct frame {
	uint64_t ip;
	uint32_t space;  /* MAPS_KERNEL for kernel addresses */
	uint16_t input;  /* of the space */
	uint8_t cpumode; /* MISC_KERNEL, MISC_USER, ... */
	bool is_exact;   /* of a caller: the address itself, where the thread
	                  * entered the kernel, not a return address */
};

/*
 * The counted parts of a sample. Without a call chain, the stack is the sampled
 * address alone.
 */
struct stack_sample {
	uint64_t ip, period, n_chain; /* entries, markers included */
	const uint8_t *chain;         /* borrowed from the sample */
	uint8_t cpumode;
	uint8_t n_marks;  /* entries that are ignored (frame_origin.h), */
	uint16_t mark_at; /* index of the first one */
};

static inline struct stack_sample stack_sample_of(
	const struct sample *sample, bool has_chain)
{
	return (struct stack_sample){ sample->ip, sample->period,
		has_chain ? sample->n_chain : 0, sample->chain, sample->cpumode,
		0, 0 };
}

/* Skips the marks in the chain of an event with frame_origin_is_recorded(). */
void stack_sample_skip_mark(struct stack_sample *sample);

struct stack {
	uint64_t hash; /* of its chain alone */
	uint64_t period, samples;
	uint32_t context;
	uint32_t chain; /* offset in the chains of its segment */
};

/*
 * Stacks are stored in segments, which are never copied and are freed one by
 * one when a table is moved. Chains (chain.h) are in the order of their stacks.
 */
#define SEGMENT_STACKS 65536u

struct segment {
	struct stack *stacks; /* SEGMENT_STACKS of them, owned */
	uint32_t n;
	struct strbuf chains;
};

struct stacks {
	ARRAY(struct segment) segments; /* all but the last are full */
	ARRAY(struct frame)
	frames; /* by the numbers in chains, until resolved */
	ARRAY(struct context) contexts;
	ARRAY(uint64_t) values; /* of contexts */
	struct hash_index by_stack, by_frame, by_context;
	uint64_t max_frames; /* stored of a new chain; 0: all */
	bool keeps_callers;  /* the outermost of them */
	/*
	 * Limits the memory; borrowed; NULL: no limit. When the limit is
	 * reached, samples of new stacks are counted together, as the rest of
	 * their event.
	 */
	struct reader *reader;
	bool is_full;
	uint64_t kept;     /* bytes reserved from READER; of these */
	uint64_t reserved; /* bytes for rows that are made later */
};

void stacks_deinit(struct stacks *stacks);

/*
 * Returns the cpumode of the entries behind a marker of a call chain
 * (ABI_CONTEXT_FIRST and above): MISC_KERNEL, MISC_USER, ...
 */
uint8_t stacks_marker_mode(uint64_t marker);
/*
 * Returns false if CHAIN's N entries contain an unknown marker: then unwinding
 * by frame pointers has read other memory. perf drops such chains, too.
 */
bool stacks_chain_is_valid(const uint8_t *chain, uint64_t n);
/*
 * Returns the frame of IP in SPACE; kernel addresses have a space of their own.
 */
struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode);

/* State of a walk through a call chain, from its innermost entry. */
struct chain_walk {
	uint8_t cpumode; /* of the next entries; initially the sample's */
	bool is_exact;   /* of the next entry */
};
/*
 * Sets RET to the frame of ENTRY in SPACE. Returns false if ENTRY is a marker.
 */
bool stacks_walk(struct chain_walk *walk, uint32_t space, uint64_t entry,
	struct frame *ret);

/* Returns the frame of ADDRESS in CONTEXT's address space. */
struct frame stacks_frame_in(
	const struct context *context, uint64_t address, uint8_t cpumode);

/* Interns CONTEXT without values, and returns its number. */
uint32_t stacks_context(struct stacks *stacks, const struct context *context);
/* Does the same with N values. VALUES must not be part of STACKS. */
uint32_t stacks_context_with(struct stacks *stacks,
	const struct context *context, const uint64_t *values, size_t n);
/*
 * Returns CONTEXT's values; borrowed until a context is interned; NULL: none.
 */
static inline const uint64_t *stacks_values(
	const struct stacks *stacks, const struct context *context)
{
	return context->n_values ? stacks->values.at + context->values : NULL;
}

/* Interns FRAME, and returns its number. */
uint32_t stacks_frame_number(struct stacks *stacks, const struct frame *frame);

void stacks_add(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample);

/*
 * Does the same in two steps, for batches of samples: the first step prefetches
 * memory for the second one. It returns a hash of the sample's stack.
 */
uint64_t stacks_prepare(const struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample);
void stacks_add_prepared(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash);
/* Prefetches more between the two steps; optional. */
void stacks_fetch(const struct stacks *stacks, uint32_t context, uint64_t hash);

/*
 * Maps numbers of frames to new numbers, separately for the sampled frame, the
 * second frame (the sampled address again) and its callers. The last two may be
 * several: then .runs has at that index their count, and the numbers behind it.
 */
#define STACKS_RUN (UINT32_C(1) << 31)
struct stacks_numbers {
	const uint32_t *sampled;
	const uint32_t *second, *callers; /* or STACKS_RUN | an index */
	const uint32_t *runs;
	/*
	 * Limits the memory of runs, borrowed; at the limit a run is replaced
	 * by its last number. NULL: no limit.
	 */
	struct reader *reader;
};

/*
 * Moves all stacks of FROM to INTO, with new NUMBERS in their chains, and
 * merges those that become equal. FROM has no stacks afterwards.
 */
void stacks_move(struct stacks *into, struct stacks *from,
	const struct stacks_numbers *numbers);

/*
 * Adds the counts of FROM to INTO's stack with CONTEXT, a number of INTO's, and
 * the SIZE bytes of CHAIN.
 */
void stacks_put(struct stacks *into, const struct stack *from, uint32_t context,
	const uint8_t *chain, size_t size);

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

/* Returns the chain of stack I: it has at least the sampled address. */
static inline struct chain stacks_chain(const struct stacks *stacks, uint32_t i)
{
	const struct segment *segment =
		&stacks->segments.at[i / SEGMENT_STACKS];
	const uint8_t *chains = (const uint8_t *)segment->chains.at;
	uint32_t at = i % SEGMENT_STACKS;

	return (struct chain){ chains + segment->stacks[at].chain,
		chains +
			(at + 1 < segment->n ? segment->stacks[at + 1].chain
					     : segment->chains.n) };
}

#endif
