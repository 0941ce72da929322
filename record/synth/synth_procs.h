/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthesizes records of processes that were running before the recording from
 * /proc: COMM of each thread, MMAP2 of each executable mapping (and of others,
 * if enabled) with the build ID of its file.
 */
#ifndef DWELL_RECORD_SYNTH_SYNTH_PROCS_H
#define DWELL_RECORD_SYNTH_SYNTH_PROCS_H

#include <sys/types.h>

#include "common/perf/record.h"
#include "common/perf/sample.h"

struct synth_procs;

/*
 * ID is the canonical ID of the sideband event, LAYOUT its layout, which is
 * borrowed.
 */
struct synth_procs *synth_procs_create(
	const struct sample_layout *layout, uint64_t id);
void synth_procs_destroy(struct synth_procs *procs);

/* Sets the time (clocks_now()) of further records; 0 at first. */
void synth_procs_set_time(struct synth_procs *procs, uint64_t time);

/* Also synthesize NAMESPACES records. */
void synth_procs_enable_namespaces(struct synth_procs *procs);
/* Also synthesize records of readable mappings of data. */
void synth_procs_enable_data(struct synth_procs *procs);
/* Writes the trailer of synthesized records. Returns its size. */
size_t synth_procs_trailer(struct synth_procs *procs, pid_t pid, pid_t tid,
	uint8_t trailer[SAMPLE_ID_SIZE_MAX]);

/* The next pass over /proc includes all processes again. */
void synth_procs_forget(struct synth_procs *procs);
/*
 * Appends the records of process PID to OUT. Returns false if that was done
 * before or the process has ended.
 */
bool synth_procs_add(struct synth_procs *procs, pid_t pid, struct strbuf *out);
/*
 * Appends the records of the next processes of a pass over /proc, about one
 * block. Returns false at the end of the pass, and the number of new processes
 * in N_RET.
 */
bool synth_procs_add_some(
	struct synth_procs *procs, struct strbuf *out, size_t *n_ret);

#endif
