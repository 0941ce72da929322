/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a recording: its events with their canonical IDs, the features
 * of the host, and the formats of its tracepoints. Includes facts about the
 * machine and the command line.
 */
#ifndef DWELL_RECORD_STREAM_FILE_HEAD_H
#define DWELL_RECORD_STREAM_FILE_HEAD_H

#include "common/file/feature.h"
#include "record/open/open.h"

/*
 * Fills RET, the header for writer_create(). The events are those of OPENED;
 * the sideband event is the last event. LEVEL is the zstd level; 0: no
 * compression.
 */
void file_head_describe(const struct event_fds *opened, const struct pmus *pmus,
	int level, int argc, char **argv, struct features *ret);

/*
 * Adds the event IDs of descriptors that were opened since file_head_describe()
 * to HEAD, for events with PERF_SAMPLE_READ. No other thread may read HEAD
 * during the call.
 */
void file_head_add_ids(const struct event_fds *opened, struct features *head);

/*
 * Reads the wall clock and the clock of the records at the same time, for the
 * feature CLOCK_DATA.
 */
void file_head_read_clocks(uint64_t *wall_ns, uint64_t *record_ns);

#endif
