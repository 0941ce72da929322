/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options for how results look: the grouping of flame graphs, annotated
 * functions, the samples and records of dwell script, and comparisons. Each
 * struct is set by command-line options and read by views. Grouping and method
 * of comparison have names, which are found and completed here.
 */
#ifndef DWELL_REPORT_UTIL_STYLE_H
#define DWELL_REPORT_UTIL_STYLE_H

#include "common/util/base.h"
#include "common/util/completion.h"
#include "report/util/filter.h"
#include "report/util/script_field.h"

/* The first frame of each stack in a flame graph (--group-by). */
enum style_flame_grouping {
	STYLE_FLAME_BY_PROCESS, /* the name of the process */
	STYLE_FLAME_BY_THREAD, /* the name of the thread at the time of the sample */
	STYLE_FLAME_BY_NONE, /* no frame; stacks begin with a function */
};

/*
 * Sets *RET to the grouping with the name that --group-by accepts: "process",
 * "thread" or "none". Returns false if NAME is unknown.
 */
bool style_flame_grouping_find(
	const char *name, enum style_flame_grouping *ret);
COMPLETER(style_flame_grouping_complete);

/* The options for the view of an annotated function (dwell annotate). */

/* The total of which the shown shares are a part. */
struct style_shares {
	bool are_global; /* shares of the event's total; false: of the
	                  * function's total */
	bool by_samples; /* shares of the number of samples; false: of
	                  * periods */
};

struct style_annotation {
	struct style_shares shares;
	bool is_intel;	  /* Intel syntax */
	bool has_source;  /* source lines between instructions */
	bool has_summary; /* a list of source lines, the hottest first */
	bool has_bytes;	  /* the bytes of instructions */
	bool shows_samples, shows_period; /* show columns of samples, of
	                                   * periods */
};

/*
 * The options of dwell script for printing samples: the fields, the depth of
 * the call chain, and the format of times. script_line.h prints samples by
 * these options.
 */

enum style_script_clock {
	STYLE_SCRIPT_CLOCK_FILE,  /* print times as recorded */
	STYLE_SCRIPT_CLOCK_FIRST, /* print times since the first printed line */
	STYLE_SCRIPT_CLOCK_LAST, /* print times since the previous printed line */
};

struct style_script {
	struct script_choice choice;
	bool hides_chain;   /* print the sampled address only */
	bool has_ns;	    /* print times to the nanosecond */
	uint64_t max_stack; /* limit of frames per call chain */
	enum style_script_clock clock;
};

/*
 * The sideband records that are printed between the samples: perf script's
 * --show-task-events and similar options (perf-script(1)). Each member may
 * stand for several types of records.
 */
struct style_records {
	bool tasks, maps, switches, namespaces, cgroups, lost, bpf, text_pokes;
	bool rounds; /* FINISHED_ROUND records; all lines are then printed in
	              * file order */
};

/* The options of a comparison of recordings. */

/* The value that is shown for each row, and sorted by. */
enum style_diff_compute {
	STYLE_DIFF_DELTA_ABS, /* the difference, sorted without its sign */
	STYLE_DIFF_DELTA,
	STYLE_DIFF_RATIO,
	STYLE_DIFF_WDIFF, /* the difference of weighted periods */
};

/* The measure of a row that is compared. */
enum style_diff_measure {
	STYLE_DIFF_SHARE, /* percentage of the event's total in the recording */
	STYLE_DIFF_PERIOD, /* period */
	STYLE_DIFF_RATE,   /* period per second of the recording */
};

struct style_diff {
	enum style_diff_compute compute;
	enum style_diff_measure measure;
	uint64_t weights
		[2];	/* STYLE_DIFF_WDIFF: weights of the baseline and of the
	                      * other recording, 1 or more */
	char *sort;	/* sort keys, if -s adds keys to the default ones;
	                 * owned; else NULL */
	uint64_t order; /* number of the recording by whose change rows are
	                 * sorted; 0: by the value of rows in the baseline */
	bool has_compute;   /* .compute was set by an option */
	bool is_normalized; /* .measure does not depend on .compute: it was set by
	                         * an option, or chosen for the recordings */
	bool baseline_only; /* show only rows that are in the baseline and
	                         * in another recording */
	struct filter_names
		times; /* --time: one range for all recordings, or one range per
		        * recording */
	bool shows_period, shows_formula;
};

/*
 * Sets .measure to perf's for .compute, unless .is_normalized.
 */
void style_diff_finish(struct style_diff *style);

/*
 * Convert between COMPUTE and its name for --compute, such as "delta-abs".
 * style_diff_compute_find() returns false if NAME is unknown.
 */
const char *style_diff_compute_name(enum style_diff_compute compute);
bool style_diff_compute_find(const char *name, enum style_diff_compute *ret);
COMPLETER(style_diff_compute_complete);

#endif
