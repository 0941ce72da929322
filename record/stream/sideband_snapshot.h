/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the state of the running processes, as known from the sideband records
 * so far, to the start of the next file of a recording (--switch-output).
 */
#ifndef DWELL_RECORD_STREAM_SIDEBAND_SNAPSHOT_H
#define DWELL_RECORD_STREAM_SIDEBAND_SNAPSHOT_H

#include "record/symbols/sampled_code.h"

/*
 * Appends complete records to OUT: records of the kernel and of control groups
 * as they were received; with time 0, COMM and NAMESPACES records of threads
 * and MMAP2 records of processes that are running or have just ended; EXIT
 * records of tasks that have ended; and records that are not yet replayed.
 * Namespaces and mappings of data are included only if they are recorded.
 */
void sideband_snapshot_write(
	const struct sampled_code *sampled, struct strbuf *out);

#endif
