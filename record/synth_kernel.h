/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel has before anything is recorded, as the records that it would
 * have written: its own code, BPF programs, control groups.
 */
#ifndef DWELL_RECORD_SYNTH_KERNEL_H
#define DWELL_RECORD_SYNTH_KERNEL_H

#include "common/elf/kallsyms.h"
#include "record/event/selected.h"
#include "record/options.h"
#include "record/pipeline.h"

/*
 * Puts them into PIPE, as far as SELECTION and OPTIONS want them. KALLSYMS is
 * read if the kernel is sampled; where it is hidden, the user is told.
 */
void before_tell(const struct options *options,
	const struct selection *selection, struct kallsyms *kallsyms,
	struct pipeline *pipe);

#endif
