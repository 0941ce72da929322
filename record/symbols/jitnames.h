/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of made code that was hit, from a jitdump or a perf map, read by a
 * thread of its own. The jitdump wins: only it tells when code was where.
 */
#ifndef DWELL_RECORD_SYMBOLS_JITNAMES_H
#define DWELL_RECORD_SYMBOLS_JITNAMES_H

#include "common/file/jit_section.h"
#include "common/jit/jitdump.h"
#include "record/symbols/jit_files.h"
#include "record/symbols/sampled_code.h"

struct jitnames_wish {
	struct jit_files files;  /* borrowed */
	const struct hit *hits;  /* of one DSO, by place: their addresses */
	size_t n_hits;
	struct jitdump_clock clock;
};

/* What of the files isn't taken, or-ed. */
enum jitnames_flaw {
	JITNAMES_ENDLESS = 1, /* a line of the perf map */
	JITNAMES_CUT = 2,     /* what the jitdump ends in the middle of */
};

/*
 * Adds what covers the hits, or the byte before one, to PROCESS. Of codes that
 * lay at one address the last counts where the times are of no use. The result
 * is of enum jitnames_flaw.
 */
unsigned jitnames_read(struct patience *patience, const struct jitnames_wish *wish,
	struct jit_process *process);

#endif
