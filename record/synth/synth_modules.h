/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own code and that of its modules, as MMAP records. */
#ifndef DWELL_RECORD_SYNTH_SYNTH_MODULES_H
#define DWELL_RECORD_SYNTH_SYNTH_MODULES_H

#include "common/elf/kallsyms.h"
#include "record/synth/synth_procs.h"

/* Appends them, with PROCS's trailer and the extent that KALLSYMS tells. */
void kernel_add(struct procs *procs, const struct kallsyms *kallsyms,
	struct strbuf *out);

#endif
