/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins the records of the BPF program (chain_record.h) with the samples that
 * follow them in the ring buffer: the result has the fields of a sample with a
 * stack copy. A complete stack becomes the user part of the call chain, and the
 * sample has neither registers nor a copy; of any other stack, the sample has
 * both.
 */
#ifndef DWELL_RECORD_BPF_CHAIN_JOIN_H
#define DWELL_RECORD_BPF_CHAIN_JOIN_H

#include "common/perf/sample.h"
#include "record/bpf/chain_record.h"

/*
 * The context in a call chain before the linked frames: behind the user part, as struct
 * chain_linked. Only samples in memory have it. The kernel uses no such number
 * (enum perf_callchain_context).
 */
#define CHAIN_LINKED_CONTEXT ((uint64_t)-1024)

struct chain_join;

struct chain_join *chain_join_create(void);
void chain_join_destroy(struct chain_join *join);

/* A stack that ended in a file with rules that the program does not know. */
struct chain_unknown {
	uint32_t pid;
	uint64_t pc; /* of the last frame */
	struct chain_file file;
};

/* A record of the BPF programs. */
struct chain_output {
	uint32_t kind;	   /* enum chain_kind */
	uint32_t pid, tid; /* of the current task, as perf sees it */
	uint32_t size;
	const void *raw; /* a struct of KIND, unaligned; borrowed */
};
/* Reads RECORD, a sample of the programs' event. Returns false if it is too short. */
bool chain_output_read(
	const struct perf_event_header *record, struct chain_output *ret);
/*
 * Reads OUTPUT of the kind CHAIN_STACK. The numbers of words in RET are not above those
 * that OUTPUT has. Returns false if it is too short.
 */
bool chain_output_stack(
	const struct chain_output *output, struct chain_record *ret);
/*
 * Returns the linked frames of OUTPUT, struct chain_linked, unaligned and borrowed. Sets
 * *N_RET to their number, which is 0 for other kinds than CHAIN_STACK.
 */
const uint8_t *chain_output_linked(
	const struct chain_output *output, size_t *n_ret);
/* Returns whether OUTPUT is a stack that ended in an unknown file. */
bool chain_output_unknown(
	const struct chain_output *output, struct chain_unknown *ret);

/* Returns the number of stacks among the records that were kept. */
uint64_t chain_join_stacks(const struct chain_join *join);

/* Keeps a record of the program until its sample is joined. */
void chain_join_hold(
	struct chain_join *join, const struct chain_output *output);
/*
 * Appends the fields REGS_USER, with the bits of REGISTERS, and STACK_USER to AT, from
 * STACK and COPY (NULL: none). Without STACK, both fields are empty. Returns the end.
 */
uint8_t *chain_put_registers(const struct chain_record *stack,
	const struct chain_copy *copy, uint64_t registers, uint8_t *at);
/*
 * Returns whether BPF can unwind samples of an event with ATTR, the attribute
 * with stack copies. Tracepoints and probes need programs of other types.
 */
bool chain_is_joined(const struct perf_event_attr *attr);
/*
 * Returns the attribute with which the kernel opens an event with ATTR, the
 * attribute with stack copies. BPF adds the call chain, and unless
 * KEEPS_COPIES, the fields of the stack.
 */
struct perf_event_attr chain_kernel_attr(
	const struct perf_event_attr *attr, bool keeps_copies);
/*
 * Returns SAMPLE with the stack of the last records; borrowed until the next
 * call. LAYOUT is that of chain_kernel_attr(), and REGISTERS the
 * sample_regs_user of the result. A complete stack is the call chain. Of
 * another one, the result has the call chain by frame pointers, registers, and
 * a copy; none of these if LAYOUT has stack copies. Linked frames are behind the user
 * part of the call chain. If a record has no room for the linked frames or the stack,
 * the result has none. Returns NULL if SAMPLE cannot be read.
 */
const struct perf_event_header *chain_join_sample(struct chain_join *join,
	const struct sample_layout *layout, uint64_t registers,
	const struct perf_event_header *sample);

#endif
