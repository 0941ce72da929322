/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs just now, as the recorder knows it from the sideband that came by:
 * what another file of the same recording has to begin with.
 */
#ifndef DWELL_RECORD_STREAM_SIDEBAND_SNAPSHOT_H
#define DWELL_RECORD_STREAM_SIDEBAND_SNAPSHOT_H

#include "record/symbols/sampled_code.h"

/*
 * Appends whole records: of the kernel and control groups as they came; COMM
 * and NAMESPACES of the threads and MMAP2 of the processes that live or have
 * just ended, with time 0; EXIT of those that have; and what is too new for
 * that, as it came. Namespaces and mappings of data only if they are recorded.
 */
void state_write(const struct hits *hits, struct strbuf *out);

#endif
