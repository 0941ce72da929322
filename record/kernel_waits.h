/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether the waits of --off-cpu are measured in the kernel (--min-block), and
 * runs that. If BPF cannot be used, each wait is recorded, and a line says why.
 */
#ifndef DWELL_RECORD_KERNEL_WAITS_H
#define DWELL_RECORD_KERNEL_WAITS_H

#include "record/bpf/bpf_waits.h"
#include "record/open/target.h"
#include "record/options.h"
#include "record/recording_stages.h"

/*
 * Loads the BPF programs if OPTIONS and TARGET permit it. Returns NULL if each wait is
 * recorded. The caller destroys the result.
 */
struct bpf_unwind *kernel_waits_choose(
	const struct options *options, const struct target *target);

/* BPF may be NULL in the following functions, which then do nothing. */
/* Starts to measure the waits of TARGET. KALLSYMS was read, or is empty. */
struct error *kernel_waits_start(struct bpf_unwind *bpf,
	const struct options *options, const struct target *target,
	const struct kallsyms *kallsyms) _must_check_;
/*
 * Appends the sums of short waits to RECORDS, for drain_inject(). Call this function
 * about once a second: the stacks of these waits must have been read from the ring
 * buffers.
 */
void kernel_waits_collect(struct bpf_unwind *bpf, struct strbuf *records);
/* Stops measuring, and appends the last sums and the open waits to RECORDS. */
void kernel_waits_stop(struct bpf_unwind *bpf, struct strbuf *records);
/* Reports waits and stacks that were lost. */
void kernel_waits_report(
	const struct bpf_unwind *bpf, const struct intake *intake);

#endif
