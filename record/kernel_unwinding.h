/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a recording unwinds stacks in the kernel, and watches that.
 * If it is not possible, stacks are copied, and the summary says why.
 */
#ifndef DWELL_RECORD_KERNEL_UNWINDING_H
#define DWELL_RECORD_KERNEL_UNWINDING_H

#include "record/bpf/bpf_unwind.h"
#include "record/open/open.h"
#include "record/options.h"
#include "record/recording_stages.h"

/* The environment variable that turns BPF off. */
#define KERNEL_UNWINDING_OFF "DWELL_NO_BPF"

/* Returns whether OPTIONS prefer BPF to copies of stacks. */
bool kernel_unwinding_is_preferred(const struct options *options);
/*
 * Decides whether BPF unwinds stacks, and sets .unwinds_in_kernel or
 * .copy_reason. Loads the BPF program if OPTIONS and SELECTION permit it and
 * *BPF, owned by the caller, is NULL.
 */
void kernel_unwinding_choose(const struct options *options,
	struct selection *selection, struct bpf_unwind **bpf);
/* Connects BPF to the ring buffers of OPENED. BPF may be NULL. */
struct error *kernel_unwinding_connect(
	struct bpf_unwind *bpf, const struct event_fds *opened) _must_check_;
/* The same for the ring buffer of CPU, which is online again. */
struct error *kernel_unwinding_connect_cpu(struct bpf_unwind *bpf,
	const struct event_fds *opened, uint32_t cpu) _must_check_;

/* The counts of the last kernel_unwinding_watch(); zero at first. */
struct kernel_unwinding_watch {
	uint64_t stacks, ns;
	uint64_t limit_ns; /* read by the first call, which sets .has_limit */
	bool has_limit, is_slow;
};
/*
 * Lets the recorder unwind copies if the BPF program takes too long. Call this
 * function about once a second. BPF may be NULL.
 */
void kernel_unwinding_watch(
	struct bpf_unwind *bpf, struct kernel_unwinding_watch *watch);
/*
 * Reports stacks that were lost, samples that the kernel left out, and with -v how stacks ended and whether
 * samples and runs of the program add up. Call after the last record was taken.
 * BPF may be NULL.
 */
void kernel_unwinding_report(const struct bpf_unwind *bpf,
	const struct event_fds *opened, const struct recording_stages *stages);

#endif
