/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of dwell script for printing samples: the fields, the depth of
 * the call chain, and the format of times. script_line.h prints samples by
 * these options.
 */
#ifndef DWELL_REPORT_UTIL_SCRIPT_STYLE_H
#define DWELL_REPORT_UTIL_SCRIPT_STYLE_H

#include "report/util/script_field.h"

enum script_clock {
	SCRIPT_CLOCK_FILE,  /* print times as recorded */
	SCRIPT_CLOCK_FIRST, /* print times since the first printed line */
	SCRIPT_CLOCK_LAST,  /* print times since the previous printed line */
};

struct script_style {
	struct script_choice choice;
	bool hides_chain;   /* print the sampled address only */
	bool has_ns;	    /* print times to the nanosecond */
	uint64_t max_stack; /* limit of frames per call chain */
	enum script_clock clock;
};

/*
 * The sideband records that are printed between the samples: perf script's
 * --show-task-events and similar options (perf-script(1)). Each member may
 * stand for several types of records.
 */
struct script_records {
	bool tasks, maps, switches, namespaces, cgroups, lost, bpf, text_pokes;
	bool rounds; /* FINISHED_ROUND records; all lines are then printed in
	              * file order */
};

#endif
