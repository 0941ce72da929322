/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs that were loaded before the recording began, as the records
 * that the kernel writes when it loads one.
 */
#ifndef DWELL_RECORD_SYNTH_BPF_H
#define DWELL_RECORD_SYNTH_BPF_H

#include "record/synth/synth_procs.h"

/*
 * Appends KSYMBOL and BPF_EVENT of each program that is compiled. Nothing
 * where the user may not ask for them.
 */
void bpf_add_programs(struct procs *procs, struct strbuf *out);

#endif
