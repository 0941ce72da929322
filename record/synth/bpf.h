/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthesizes records of the BPF programs that were loaded before the
 * recording.
 */
#ifndef DWELL_RECORD_SYNTH_BPF_H
#define DWELL_RECORD_SYNTH_BPF_H

#include "record/synth/synth_procs.h"

/*
 * Appends KSYMBOL and BPF_EVENT records of each compiled program to OUT.
 * Appends nothing if this user may not list programs.
 */
void bpf_add_programs(struct synth_procs *procs, struct strbuf *out);

#endif
