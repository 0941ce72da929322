/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the machine and the command line, as the HEADER_* features that
 * stand at the start of a recording.
 */
#ifndef DWELL_RECORD_STREAM_HOST_H
#define DWELL_RECORD_STREAM_HOST_H

#include "common/file/feature.h"
#include "record/event/pmu.h"

/* Fills RET and marks what it found; the rest of RET stays. */
void host_describe(
	int argc, char **argv, const struct pmus *pmus, struct features *ret);
/* CLOCK_DATA: the wall clock and that of the records, read together. */
void host_read_clocks(uint64_t *wall_ns, uint64_t *record_ns);

#endif
