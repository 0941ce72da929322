/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthesizes records of the kernel, its modules, and the BPF programs that
 * were loaded before the recording.
 */
#ifndef DWELL_RECORD_SYNTH_SYNTH_KERNEL_H
#define DWELL_RECORD_SYNTH_SYNTH_KERNEL_H

#include "common/elf/kallsyms.h"
#include "record/synth/synth_procs.h"

/*
 * Appends KSYMBOL and BPF_EVENT records of each JIT-compiled BPF program to
 * OUT. Appends nothing if this user may not list BPF programs.
 */
void synth_bpf_add(struct synth_procs *procs, struct strbuf *out);

/*
 * Appends MMAP records of the kernel and its modules, with the sample_id of
 * PROCS, to OUT. KALLSYMS contains the address range of the kernel code.
 */
void synth_modules_add(struct synth_procs *procs,
	const struct kallsyms *kallsyms, struct strbuf *out);

#endif
