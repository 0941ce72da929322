/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes samples of the event offcpu-waits (wait_sample.h) from the records of the BPF
 * programs that measure waits (wait_record.h): keeps each stack by its key, and gives
 * it to the waits that have the key.
 */
#ifndef DWELL_RECORD_BPF_WAIT_JOIN_H
#define DWELL_RECORD_BPF_WAIT_JOIN_H

#include "common/perf/abi.h"
#include "record/bpf/chain_join.h"
#include "record/bpf/wait_record.h"

struct wait_join;

/* ATTR is that of the event offcpu-waits. ID is the ID in the samples. */
struct wait_join *wait_join_create(
	const struct perf_event_attr *attr, uint64_t id);
void wait_join_destroy(struct wait_join *join);

/*
 * Takes OUTPUT, a record of the BPF programs. Returns false if it is of a sample, and
 * not of a wait. Otherwise sets SAMPLE_RET to the sample that OUTPUT completes,
 * borrowed until the next call, or NULL.
 */
bool wait_join_take(struct wait_join *join, const struct chain_output *output,
	const struct perf_event_header **sample_ret);
/*
 * A stack can be in another ring buffer than its wait, and come later. Call
 * wait_join_begin_round() before the samples of each round of the drain, then
 * wait_join_next() until it returns NULL: it returns the samples of waits that had no
 * stack before, borrowed until the next call. Without stack, a wait stays for two
 * rounds, or until IS_END.
 */
void wait_join_begin_round(struct wait_join *join);
const struct perf_event_header *wait_join_next(
	struct wait_join *join, bool is_end);
/* Numbers of samples, and of samples without a stack: it was lost or not kept. */
struct wait_join_counts {
	uint64_t samples, stackless;
};
struct wait_join_counts wait_join_counts(const struct wait_join *join);

#endif
