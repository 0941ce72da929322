/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthesizes MMAP records of the kernel and its modules. */
#ifndef DWELL_RECORD_SYNTH_SYNTH_MODULES_H
#define DWELL_RECORD_SYNTH_SYNTH_MODULES_H

#include "common/elf/kallsyms.h"
#include "record/synth/synth_procs.h"

/*
 * Appends the records with the trailer of PROCS to OUT. KALLSYMS contains the
 * range of the kernel code.
 */
void synth_modules_add(struct synth_procs *procs,
	const struct kallsyms *kallsyms, struct strbuf *out);

#endif
