/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the BPF program on this kernel: the program unwinds a stack of the
 * recorder, and the result is compared with that of the compiler's unwinder.
 * The program reads structures that the kernel may change.
 */
#ifndef DWELL_RECORD_BPF_SELF_CHECK_H
#define DWELL_RECORD_BPF_SELF_CHECK_H

#include "record/bpf/bpf_unwind.h"

/* Returns an error if the stacks differ, or if the program was not run. */
struct error *self_check_bpf(struct bpf_unwind *bpf) _must_check_;

#endif
