/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting stacks: every distinct (context, callchain) once, with the periods
 * and samples that fell on it. Nothing is resolved here; memory grows with
 * the number of distinct stacks, and a sample whose stack is known costs one
 * hash and one addition.
 */
#ifndef DWELL_REPORT_SCAN_STACKS_H
#define DWELL_REPORT_SCAN_STACKS_H

#include "common/file/reader.h"
#include "common/perf/sample.h"
#include "common/util/array.h"
#include "common/util/hash.h"
#include "report/scan/chain.h"

/* Values of a sample (report/scan/sample_key.h) that one report can group rows by. */
#define STACKS_VALUES_MAX 24u
/* The cpumode of an address that may be the process's or the kernel's. */
#define STACKS_ANY_MODE 8u
/* That of a sample that nobody recorded an address for. */
#define STACKS_NOWHERE 9u

/* What rows may be grouped by beside the code; fields not asked for are 0. */
struct context {
	uint32_t event;
	uint32_t space, comm;   /* common/maps/maps.h */
	uint32_t pid, tid, cpu;
	bool is_filtered;       /* counts for the total, shows in no row */
	uint8_t n_values;
	bool is_rest;           /* of what there was no memory for */
	bool is_dropped;        /* its stacks don't count; not told apart */
	uint16_t input;         /* whose numbers these are */
	uint64_t values;        /* where they begin in .values */
	uint32_t parent;        /* a location + 1 (refine.h); not told apart
				 * before that */
};

/* A code address in one address space: what will be resolved, once. */
struct frame {
	uint64_t ip;
	uint32_t space;  /* MAPS_KERNEL for kernel addresses */
	uint16_t input;  /* whose */
	uint8_t cpumode; /* MISC_KERNEL, MISC_USER, ... */
	bool is_exact;   /* of a caller: it was left just there, for the kernel,
			  * not by a call that is before there */
};

/*
 * What of a sample counts here. Its callchain may be left out: then the stack is
 * the sampled address alone.
 */
struct stack_sample {
	uint64_t ip, period, n_chain; /* entries, markers included */
	const uint8_t *chain;         /* borrowed from the sample */
	uint8_t cpumode;
	uint8_t n_marks;  /* entries that make no difference (frame_origin.h), */
	uint16_t mark_at; /* which begin here */
};

static inline struct stack_sample stack_sample_of(
	const struct sample *sample, bool has_chain)
{
	return (struct stack_sample){ sample->ip, sample->period,
		has_chain ? sample->n_chain : 0, sample->chain,
		sample->cpumode, 0, 0 };
}

/* Of an event of which origin_is_told(): marks don't tell stacks apart. */
void stack_sample_skip_mark(struct stack_sample *sample);

struct stack {
	uint64_t hash; /* of its chain alone */
	uint64_t period, samples;
	uint32_t context;
	uint32_t chain; /* where it begins in its segment's chains */
};

/*
 * Stacks are kept in segments, so that none is ever copied because there are
 * more, and memory goes back as a table is taken apart. Chains (chain.h) lie in
 * the order of their stacks.
 */
#define SEGMENT_STACKS 65536u

struct segment {
	struct stack *stacks; /* SEGMENT_STACKS of them, owned */
	uint32_t n;
	struct strbuf chains;
};

struct stacks {
	ARRAY(struct segment) segments; /* all but the last are full */
	ARRAY(struct frame) frames; /* what numbers in chains mean at first */
	ARRAY(struct context) contexts;
	ARRAY(uint64_t) values; /* of contexts */
	struct hash_index by_stack, by_frame, by_context;
	uint64_t max_frames; /* kept of a new chain; 0: all */
	bool keeps_callers;  /* the outermost of them */
	/*
	 * Who says how much may be kept, borrowed; NULL: all. Once it says no,
	 * samples of new stacks are counted together, as the rest of their
	 * event.
	 */
	struct reader *reader;
	bool is_full;
	uint64_t kept;     /* of READER's bytes, all in all; of these */
	uint64_t put_by;   /* for the rows later */
};

void stacks_deinit(struct stacks *stacks);

/* What a marker in a callchain (ABI_CONTEXT_FIRST and up) says of the entries
 * behind it: MISC_KERNEL, MISC_USER, ... */
uint8_t stacks_marker_mode(uint64_t marker);
/*
 * False when a marker of CHAIN's N entries is none that exists: then its frame
 * pointers led astray, and perf drops the whole chain as well.
 */
bool stacks_chain_is_sound(const uint8_t *chain, uint64_t n);
/* The frame of IP in a process's SPACE; kernel addresses have one of theirs. */
struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode);

/* On the way through a callchain, from its innermost entry. */
struct chain_walk {
	uint8_t cpumode; /* of entries to come; at first the sample's */
	bool is_exact;   /* the next one is */
};
/* The frame of ENTRY in a process's SPACE to RET; false: it is a marker. */
bool stacks_walk(struct chain_walk *walk, uint32_t space, uint64_t entry,
	struct frame *ret);

/* The frame of ADDRESS where CONTEXT ran. */
struct frame stacks_frame_in(
	const struct context *context, uint64_t address, uint8_t cpumode);

/* The number of CONTEXT without values, interned. */
uint32_t stacks_context(struct stacks *stacks, const struct context *context);
/* The same with N values. VALUES must not lie in STACKS. */
uint32_t stacks_context_with(struct stacks *stacks,
	const struct context *context, const uint64_t *values, size_t n);
/* CONTEXT's values; borrowed until one is interned; NULL if it has none. */
static inline const uint64_t *stacks_values(
	const struct stacks *stacks, const struct context *context)
{
	return context->n_values ? stacks->values.at + context->values : NULL;
}

/* The number of FRAME, interned. */
uint32_t stacks_frame_number(struct stacks *stacks, const struct frame *frame);

void stacks_add(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample);

/*
 * The same in two steps, for those who have many samples: what memory the
 * second one needs is on its way meanwhile. The first gives a hash of the
 * sample's stack.
 */
uint64_t stacks_prepare(const struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample);
void stacks_add_prepared(struct stacks *stacks, uint32_t context,
	const struct stack_sample *sample, uint64_t hash);
/* A step between them, which may be left out. */
void stacks_fetch(
	const struct stacks *stacks, uint32_t context, uint64_t hash);

/*
 * By numbers of frames: what stands for one in a chain. Of the second one (the
 * sampled place once more) and of its callers that may be several, .runs from a
 * place on: how many, and these.
 */
#define STACKS_RUN (UINT32_C(1) << 31)
struct stacks_numbers {
	const uint32_t *sampled;
	const uint32_t *second, *callers; /* or STACKS_RUN | a place */
	const uint32_t *runs;
	/* Whose memory runs count as, borrowed; without any left they are the
	 * last of their numbers. NULL: there is enough. */
	struct reader *reader;
};

/*
 * Moves all stacks of FROM to INTO, where NUMBERS stand in their chains: those that
 * are the same then are added up. FROM has no stacks afterwards.
 */
void stacks_move(struct stacks *into, struct stacks *from,
	const struct stacks_numbers *numbers);

/*
 * Adds what FROM counts to INTO's stack of CONTEXT, a number of INTO's, with
 * the SIZE bytes of CHAIN.
 */
void stacks_put(struct stacks *into, const struct stack *from,
	uint32_t context, const uint8_t *chain, size_t size);

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

/* The chain of stack I: at least the sampled address. */
static inline struct chain stacks_chain(
	const struct stacks *stacks, uint32_t i)
{
	const struct segment *segment =
		&stacks->segments.at[i / SEGMENT_STACKS];
	const uint8_t *chains = (const uint8_t *)segment->chains.at;
	uint32_t at = i % SEGMENT_STACKS;

	return (struct chain){ chains + segment->stacks[at].chain,
		chains + (at + 1 < segment->n ? segment->stacks[at + 1].chain
					      : segment->chains.n) };
}

#endif
