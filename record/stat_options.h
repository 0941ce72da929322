/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parsed command line of `dwell stat`. The parser checks the values of the
 * options and their combinations, not what the kernel or the machine supports.
 */
#ifndef DWELL_RECORD_STAT_OPTIONS_H
#define DWELL_RECORD_STAT_OPTIONS_H

#include "record/event_options.h"
#include "record/open/target.h"
#include "record/stat/count_table.h"

/* -D -1: only a command of --control enables the events. */
#define STAT_DELAY_FOREVER UINT64_MAX

/* All strings are borrowed from argv. */
struct stat_options {
	struct event_options events;
	struct target_config target;
	bool has_no_target; /* no option and no command selects the target */
	const char *each_cgroup; /* --for-each-cgroup, or NULL */
	bool has_no_inherit;	 /* do not count new threads and processes */
	bool all_user, all_kernel;
	bool counts_nothing;   /* -n: only times */
	enum count_by by;      /* -A, --per-core, ..., --per-thread */
	uint64_t detail;       /* -d: how often it was given */
	bool syncs;	       /* -S */
	uint64_t interval_ms;  /* -I; 0: none */
	uint64_t n_intervals;  /* --interval-count; 0: no limit */
	uint64_t timeout_ms;   /* 0: none */
	uint64_t delay_ms;     /* -D; 0: events are enabled at the start */
	const char *control;   /* --control; NULL: no commands */
	uint64_t n_runs;       /* -r */
	const char *separator; /* -x; NULL: not CSV */
	bool is_json;	       /* -j */
	bool has_thousands;    /* separators in counts */
	const char *output;    /* NULL: standard error */
	bool appends;	       /* to .output */
	char **command;	       /* NULL-terminated; NULL: no command */
};

/*
 * Parses ARGV into RET, which stat_options_deinit() frees, also after an error.
 * --help and --version print to stdout and end the program with status 0.
 */
struct error *stat_options_parse(
	int argc, char **argv, struct stat_options *ret) _must_check_;
void stat_options_deinit(struct stat_options *options);

#endif
