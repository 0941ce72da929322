/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts unwinding in the kernel, if this user and this kernel permit it. */
#ifndef DWELL_RECORD_BPF_BPF_START_H
#define DWELL_RECORD_BPF_BPF_START_H

#include "record/bpf/bpf_unwind.h"
#include "record/event/caller_caps.h"

/* Returns an error if CALLER may not load BPF programs for events. */
struct error *bpf_refuse_caller(const struct caller_caps *caller) _must_check_;
/*
 * Loads the BPF programs (HAS_WAITS: also those of bpf_waits.h) and checks the one that
 * unwinds samples on this kernel. The error says why stacks
 * cannot be unwound in the kernel, and what would change that.
 */
struct error *bpf_start(const struct caller_caps *caller, bool has_waits,
	struct bpf_unwind **ret) _must_check_;

#endif
