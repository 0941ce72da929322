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
		*sampled; /* the places of one DSO, sorted: their addresses */
	size_t n_sampled;
	struct jitdump_clock clock;
};

/* Problems of the files; bits. */
enum jitnames_flaw {
	JITNAMES_LONG_LINE = 1, /* a line of the perf map was too long */
	JITNAMES_CUT = 2,	/* the jitdump ends in the middle of a record */
};

/*
 * Adds the names of the sampled addresses, and of the byte before each, to
 * PROCESS. If several codes had the same address, the last one is used unless
 * the times can be compared. Returns bits of enum jitnames_flaw.
 */
unsigned jitnames_read(struct timed_worker *worker,
	const struct jitnames_request *request, struct jit_process *process);

#endif
