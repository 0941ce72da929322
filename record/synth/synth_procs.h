/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ran before the recording began, from /proc, as the records that the
 * kernel would have written: COMM of each thread, MMAP2 of each executable
 * mapping (of others, if wanted) with its file's build ID.
 */
#ifndef DWELL_RECORD_SYNTH_SYNTH_PROCS_H
#define DWELL_RECORD_SYNTH_SYNTH_PROCS_H

#include <sys/types.h>

#include "common/perf/record.h"
#include "common/perf/sample.h"

struct procs;

/* ID is the sideband event's canonical one, LAYOUT its trailer's. */
struct procs *procs_create(const struct sample_layout *layout, uint64_t id);
void procs_destroy(struct procs *procs);

/* The time (clocks_now()) of the records from now on; 0 at first. */
void procs_set_time(struct procs *procs, uint64_t time);

/* Namespaces are told, too, from now on. */
void procs_tell_namespaces(struct procs *procs);
/* And mappings of data that can be read. */
void procs_tell_data(struct procs *procs);
/* The trailer of records that others make beside these; returns its size. */
size_t procs_trailer(struct procs *procs, pid_t pid, pid_t tid,
	uint8_t trailer[SAMPLE_ID_SIZE_MAX]);

/* The next pass over /proc takes all processes again. */
void procs_forget(struct procs *procs);
/*
 * Appends the records of process PID, unless that was done before; false then
 * or if it is gone.
 */
bool procs_add(struct procs *procs, pid_t pid, struct strbuf *out);
/*
 * Appends the next processes of a pass over /proc, about a block's worth.
 * False at the end of the pass; N_RET counts what was new in it.
 */
bool procs_add_some(struct procs *procs, struct strbuf *out, size_t *n_ret);

#endif
