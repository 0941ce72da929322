/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting stacks: every distinct (context, callchain) once, with the periods
 * and samples that fell on it. Nothing is resolved here; memory grows with
 * the number of distinct stacks, and a sample whose stack is known costs one
 * hash and one addition.
 */
#ifndef DWELL_STACKS_H
#define DWELL_STACKS_H

#include "common/array.h"
#include "common/hash.h"
#include "common/sample.h"

/* Values of a sample (report/take.h) that one report can group rows by. */
#define STACKS_VALUES_MAX 24u
/* The cpumode of an address that may be the process's or the kernel's. */
#define STACKS_ANY_MODE 8u

/* What rows may be grouped by beside the code; fields not asked for are 0. */
struct context {
	uint32_t event;
	uint32_t space, comm;   /* common/maps.h */
	uint32_t pid, tid, cpu;
	bool is_filtered;       /* counts for the total, shows in no row */
	uint8_t n_values;
	uint64_t values;        /* where they begin in .values */
};

/* A code address in one address space: what will be resolved, once. */
struct frame {
	uint64_t ip;
	uint32_t space;  /* MAPS_KERNEL for kernel addresses */
	uint8_t cpumode; /* MISC_KERNEL, MISC_USER, ... */
};

struct stack {
	uint64_t hash;
	uint64_t period, samples;
	uint64_t frames; /* where it begins in .chains */
	uint32_t n; /* frames: the sampled one, then its chain, leaf first */
	uint32_t context;
};

struct stacks {
	ARRAY(struct stack) stacks;
	ARRAY(uint32_t) chains; /* frame numbers */
	ARRAY(struct frame) frames;
	ARRAY(struct context) contexts;
	ARRAY(uint64_t) values; /* of contexts */
	struct hash_index by_stack, by_frame, by_context;
};

void stacks_deinit(struct stacks *stacks);

/* What a marker in a callchain (ABI_CONTEXT_FIRST and up) says of the entries
 * behind it: MISC_KERNEL, MISC_USER, ... */
uint8_t stacks_marker_mode(uint64_t marker);
/*
 * False when a marker of the chain is none that exists: then its frame pointers
 * led astray, and perf drops the whole chain as well.
 */
bool stacks_chain_is_sound(const struct sample *sample);
/* The frame of IP in a process's SPACE; kernel addresses have one of theirs. */
struct frame stacks_frame(uint32_t space, uint64_t ip, uint8_t cpumode);

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

/*
 * Adds one sample. HAS_CHAIN says whether its callchain counts; without, the
 * stack is the sampled address alone.
 */
void stacks_add(struct stacks *stacks, uint32_t context,
	const struct sample *sample, bool has_chain);

/*
 * Adds all of FROM to INTO, which is filled by merging only; FROM is left as
 * it is.
 */
void stacks_merge(struct stacks *into, const struct stacks *from);

#endif
