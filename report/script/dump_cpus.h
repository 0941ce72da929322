/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of CPUs in the records of tools, struct perf_record_cpu_map_data of
 * tools/lib/perf/include/perf/event.h: a list, bits or a range, as ": 0,1".
 */
#ifndef DWELL_REPORT_SCRIPT_DUMP_CPUS_H
#define DWELL_REPORT_SCRIPT_DUMP_CPUS_H

#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* Takes what it shows from B; of one that is cut off, what is there. */
void dump_cpus(struct bytes *b, struct strbuf *out);

#endif
