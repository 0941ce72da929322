/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sideband records dwell script prints between the samples: perf script's
 * --show-task-events and similar options (perf-script(1)).
 */
#ifndef DWELL_REPORT_UTIL_SCRIPT_RECORDS_H
#define DWELL_REPORT_UTIL_SCRIPT_RECORDS_H

#include <stdbool.h>

/* Each kind may stand for several types of records. */
struct script_records {
	bool tasks, maps, switches, namespaces, cgroups, lost, bpf, text_pokes;
	bool rounds; /* FINISHED_ROUND; all lines are then in file order */
};

#endif
