/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How soon samples of processes with language runtimes must be unwound. Names
 * of functions are read from the memory of the processes, which changes. If BPF
 * sends the functions of an interpreter, only those that are new must be read
 * soon.
 *
 * Not thread-safe.
 */
#ifndef DWELL_RECORD_STREAM_RUNTIME_PACE_H
#define DWELL_RECORD_STREAM_RUNTIME_PACE_H

#include "record/bpf/chain_join.h"
#include "record/runtimes/runtimes.h"

struct runtime_pace;

/* RUNTIMES is borrowed. HAS_BPF: whether BPF sends the functions of
 * interpreters. */
struct runtime_pace *runtime_pace_create(
	const struct runtimes *runtimes, bool has_bpf);
void runtime_pace_destroy(struct runtime_pace *pace);

/* Call before the records of each round of the drain, with clock_now_ns(). */
void runtime_pace_begin_round(struct runtime_pace *pace, uint64_t now);
/* The process PID has a runtime with TRAITS, since its start or an exec. */
void runtime_pace_add_process(struct runtime_pace *pace, uint32_t pid,
	const struct runtime_traits *traits);
/* The process PARENT has created the process CHILD, which has its runtime. */
void runtime_pace_add_fork(
	struct runtime_pace *pace, uint32_t parent, uint32_t child);
/* A sample of the process PID was taken. */
void runtime_pace_add_sample(struct runtime_pace *pace, uint32_t pid);
/* BPF has sent the stack OUTPUT. */
void runtime_pace_add_stack(
	struct runtime_pace *pace, const struct chain_output *output);

/* Limits in nanoseconds; UINT64_MAX: none. */
struct runtime_limits {
	uint64_t poll;	/* of the time that samples stay in a ring buffer */
	uint64_t flush; /* of the time that they stay in a block */
};
struct runtime_limits runtime_pace_limits(const struct runtime_pace *pace);

#endif
