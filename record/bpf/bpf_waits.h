/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures waits with the BPF programs (waits.bpf.h): starts and stops the programs,
 * and reads the sums of short waits.
 */
#ifndef DWELL_RECORD_BPF_BPF_WAITS_H
#define DWELL_RECORD_BPF_BPF_WAITS_H

#include "common/util/strbuf.h"
#include "record/bpf/bpf_unwind.h"
#include "record/bpf/wait_record.h"

struct bpf_waits_config {
	enum wait_scope scope;
	const pid_t *targets; /* processes, or threads; borrowed */
	size_t n_targets;
	bool inherits;	   /* children of the processes are measured */
	uint64_t least_ns; /* shorter waits are added up */
	enum chain_mode mode;
	/* The function that switches tasks in the kernel; 0: not known. */
	uint64_t switch_start, switch_size;
};

/* Starts to measure. BPF was created with waits. */
struct error *bpf_waits_start(struct bpf_unwind *bpf,
	const struct bpf_waits_config *config) _must_check_;

/*
 * Appends the sums of short waits until the last call, as records of the BPF programs.
 * Call this function about once a second.
 */
void bpf_waits_take_sums(struct bpf_unwind *bpf, struct strbuf *records);
/*
 * Stops the programs, and appends all sums, and the waits that have not ended at END.
 */
void bpf_waits_stop(
	struct bpf_unwind *bpf, uint64_t end, struct strbuf *records);

/* Sums the counts of all CPUs, and the switches that no program saw. */
struct bpf_waits_counts {
	struct wait_counts counts;
	uint64_t missed;
};
void bpf_waits_counts(
	const struct bpf_unwind *bpf, struct bpf_waits_counts *ret);

#endif
