/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of `dwell stat`: the file of -o, the title, the counts in the form
 * that the options select, and the times.
 */
#ifndef DWELL_RECORD_STAT_PRINT_H
#define DWELL_RECORD_STAT_PRINT_H

#include <sys/resource.h>

#include "record/stat/count_runs.h"
#include "record/stat_options.h"

struct commands;

struct stat_print {
	const struct stat_options *options; /* borrowed */
	int fd;				    /* valid if .is_open */
	bool is_open;
};

/* Opens the file of -o. stat_print_close() closes RET, also after an error. */
struct error *stat_print_open(const struct stat_options *options,
	struct stat_print *ret) _must_check_;
void stat_print_close(struct stat_print *print);

/*
 * Prints the counts in TABLE, the means of RUNS. USAGE is the CPU time that the
 * command used; NULL: it is not shown.
 */
struct error *stat_print_counts(const struct stat_print *print,
	const struct count_table *table, const struct count_runs *runs,
	const struct rusage *usage) _must_check_;

/* Prints the counts of an interval; a header before the first one. */
struct error *stat_print_interval(const struct stat_print *print,
	const struct count_table *table, bool is_first) _must_check_;

/*
 * Prints the events to stderr, also with -q: they are the reply to the command
 * evlist of --control, not a message. FLAGS are those of event_fds_print().
 * COMMANDS limits the size of all replies.
 */
void stat_print_events(const struct selection *selection, const char *flags,
	struct commands *commands);

#endif
