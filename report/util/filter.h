/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that select samples. An empty list passes every sample. As in
 * perf, there are two kinds of options: samples excluded by CPU, time, event,
 * control group or host (inputs.h) count as not recorded (sample_selection.h);
 * samples excluded by other options still count in the total of shares.
 */
#ifndef DWELL_REPORT_UTIL_FILTER_H
#define DWELL_REPORT_UTIL_FILTER_H

#include "common/util/array.h"
#include "common/util/cpus.h"
#include "common/util/error.h"

struct filter_names {
	ARRAY(char *) names; /* owned */
};

struct filter_numbers {
	ARRAY(uint32_t) numbers;
};

struct filter {
	struct filter_names comms, dsos, symbols, events, cgroups, hosts;
	struct filter_numbers pids, tids;
	ARRAY(uint64_t) addresses; /* addresses of sampled code that pass */
	uint64_t address_range;	   /* number of bytes from each of .addresses
	                            * on; 0: 1 byte */
	const char *symbol_part;   /* pass only symbols that contain this text;
	                            * or NULL */
	const char *row_part; /* show only rows whose symbol contains this text;
	                       * or NULL */
	struct cpus cpus;
	const char *times; /* argument of --time (times.h); NULL: all times */
};

void filter_names_deinit(struct filter_names *list);
void filter_deinit(struct filter *filter);

/*
 * Adds the words of WORDS, a comma-separated list, to LIST. If WORDS is NULL,
 * empties LIST.
 */
void filter_add_names(struct filter_names *list, const char *words);
/*
 * Adds the names of functions, threads or files in WORDS, a comma-separated
 * list, to LIST. A comma inside brackets belongs to the name, as in "f<int,
 * char>". For file://PATH, each line of the file PATH is a name; it is an error
 * if the file cannot be read or has no names. If WORDS is NULL, empties LIST.
 */
struct error *filter_add_listed(
	struct filter_names *list, const char *words) _must_check_;
/*
 * Adds the numbers in WORDS, a comma-separated list, to LIST. If WORDS is NULL,
 * empties LIST. WHAT is the name of the option, for error messages.
 */
struct error *filter_add_numbers(struct filter_numbers *list, const char *what,
	const char *words) _must_check_;

/* Adds the names in .symbols that are hexadecimal numbers to .addresses. */
void filter_add_addresses(struct filter *filter);

/* Whether the filter excludes no sample from the total of shares. */
static inline bool filter_has_all(const struct filter *filter)
{
	return !filter->times && !filter->cpus.list.n &&
		!filter->events.names.n && !filter->cgroups.names.n;
}

/* Whether the filter needs the DSO or symbol of a sample. */
static inline bool filter_needs_code(const struct filter *filter)
{
	return filter->dsos.names.n || filter->symbols.names.n ||
		filter->symbol_part;
}

bool filter_passes_name(const struct filter_names *list, const char *name);
bool filter_has_address(const struct filter *filter, uint64_t address);
/*
 * Whether NAME equals an element of LIST, or matches an element that is a glob
 * pattern.
 */
bool filter_matches(const struct filter_names *list, const char *name);
bool filter_passes_task(
	const struct filter *filter, uint32_t pid, uint32_t tid);

#endif
