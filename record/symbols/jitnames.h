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
	struct jit_files files;	   /* borrowed */
	const struct hit *sampled; /* sampled addresses in one DSO, sorted */
	size_t n_sampled;
	struct jitdump_clock clock;
};

/* Problems of perf maps and jitdumps. */
struct jitnames_flaws {
	/* The file belongs to another user and was not read. */
	bool is_perfmap_foreign, is_dump_foreign;
	bool has_long_line; /* a line of the perf map was too long */
	/*
	 * .ending is JITDUMP_WHOLE if there is no jitdump, and also if the
	 * jitdump is empty but the perf map has names.
	 */
	struct jitdump_end dump;
};

/*
 * Adds the names of the code at each sampled address, and at the byte before,
 * to PROCESS. If several functions had the same address, all are added with
 * their start times; without comparable times, only the last function is added.
 */
struct jitnames_flaws jitnames_read(struct timed_worker *worker,
	const struct jitnames_request *request, struct jit_process *process);

#endif
