/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthesizes records of processes that were running before the recording from
 * /proc: COMM of each thread, MMAP2 of each executable mapping (and of others,
 * if enabled) with the build ID of its file. If the code of a file was copied
 * to memory without a file (process_maps.h), an MMAP2 record of the file
 * follows.
 */
#ifndef DWELL_RECORD_SYNTH_SYNTH_PROCS_H
#define DWELL_RECORD_SYNTH_SYNTH_PROCS_H

#include <sys/types.h>

#include "common/perf/record.h"
#include "common/perf/sample.h"

struct synth_procs;

struct synth_procs_setup {
	const struct sample_layout *layout; /* of the sideband event; borrowed
					       until synth_procs_destroy() */
	uint64_t id;	     /* canonical ID of the sideband event */
	bool has_namespaces; /* synthesizes NAMESPACES records */
	bool has_data;	     /* and MMAP2 records of readable data */
};

struct synth_procs *synth_procs_create(const struct synth_procs_setup *setup);
void synth_procs_destroy(struct synth_procs *procs);

/*
 * Sets the time (clocks_now()) of the records that are synthesized from now on.
 * The initial time is 0.
 */
void synth_procs_set_time(struct synth_procs *procs, uint64_t time);

/*
 * Writes the sample_id of a synthesized record of thread TID to TRAILER.
 * Returns its size in bytes.
 */
size_t synth_procs_trailer(struct synth_procs *procs, pid_t pid, pid_t tid,
	uint8_t trailer[SAMPLE_ID_SIZE_MAX]);

/*
 * Forgets which processes were added: the next pass over /proc adds all
 * processes again.
 */
void synth_procs_forget(struct synth_procs *procs);
/*
 * Appends the records of process PID to OUT. Returns false if PID was added
 * before or has ended.
 */
bool synth_procs_add(struct synth_procs *procs, pid_t pid, struct strbuf *out);
/*
 * Appends the records of the next processes of a pass over /proc, about 64 KiB.
 * At the end of the pass, returns false and sets N_RET to the number of
 * processes that this pass has added.
 */
bool synth_procs_add_some(
	struct synth_procs *procs, struct strbuf *out, size_t *n_ret);

#endif
