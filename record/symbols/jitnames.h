/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the names of sampled JIT code from a jitdump or a perf map, in a
 * separate thread. The jitdump is preferred, because only it contains times.
 */
#ifndef DWELL_RECORD_SYMBOLS_JITNAMES_H
#define DWELL_RECORD_SYMBOLS_JITNAMES_H

#include "common/file/jit_section.h"
#include "common/jit/jitdump.h"
#include "record/symbols/jit_files.h"
#include "record/symbols/sampled_code.h"

struct jitnames_request {
	struct jit_files files; /* borrowed */
	const struct hit
		*sampled; /* sampled addresses in one DSO, sorted */
	size_t n_sampled;
	struct jitdump_clock clock;
};

/* Problems of perf maps and jitdumps, as bits. */
enum jitnames_flaw {
	JITNAMES_LONG_LINE = 1, /* a line of the perf map was too long */
	JITNAMES_CUT = 2,	/* the jitdump ends in the middle of a record */
};

/*
 * Adds the names of the code at each sampled address, and at the byte before,
 * to PROCESS. If several functions had the same address, all are added with
 * their start times; without comparable times, only the last function is added.
 * Returns bits of enum jitnames_flaw.
 */
unsigned jitnames_read(struct timed_worker *worker,
	const struct jitnames_request *request, struct jit_process *process);

#endif
