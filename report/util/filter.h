/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples a user wants, as the options name them. Every list that is
 * empty lets everything pass. As in perf there are two kinds: what CPUs, times,
 * events, control groups and hosts (inputs.h) leave out is as if it had never
 * been recorded (sample_selection.h); what the others leave out still counts for the total
 * that shares are of.
 */
#ifndef DWELL_REPORT_UTIL_FILTER_H
#define DWELL_REPORT_UTIL_FILTER_H

#include "common/util/array.h"
#include "common/util/cpus.h"
#include "common/util/error.h"

struct name_list {
	ARRAY(char *) names; /* owned */
};

struct number_list {
	ARRAY(uint32_t) numbers;
};

struct filter {
	struct name_list comms, dsos, symbols, events, cgroups, hosts;
	struct number_list pids, tids;
	ARRAY(uint64_t) addresses; /* of single samples' code */
	uint64_t address_range;    /* bytes from each of them on; 0: itself */
	const char *symbol_part; /* code whose symbol holds this; or NULL */
	const char *row_part;    /* rows whose symbol holds this; or NULL */
	struct cpus cpus;
	const char *times;       /* as given (times.h); NULL: all */
};

void filter_names_deinit(struct name_list *list);
void filter_deinit(struct filter *filter);

/* Adds the words of a comma-separated list; NULL empties it. */
void filter_add_names(struct name_list *list, const char *words);
/*
 * The same for names of functions, threads and files: a comma inside brackets
 * belongs to its name, as in "f<int, char>". Each line of file://PATH is a name.
 * Error if that file cannot be read or has no names.
 */
struct error *filter_add_listed(
	struct name_list *list, const char *words) _must_check_;
/* The same with numbers; WHAT is the option, for messages. */
struct error *filter_add_numbers(struct number_list *list, const char *what,
	const char *words) _must_check_;

/* Those of the symbols' names that read as a number of base 16. */
void filter_add_addresses(struct filter *filter);

/* Whether no sample is left out as if it had never been recorded. */
static inline bool filter_has_all(const struct filter *filter)
{
	return !filter->times && !filter->cpus.list.n &&
		!filter->events.names.n && !filter->cgroups.names.n;
}

/* Whether it depends on its code if a sample is wanted. */
static inline bool filter_asks_code(const struct filter *filter)
{
	return filter->dsos.names.n || filter->symbols.names.n ||
		filter->symbol_part;
}

bool filter_passes_name(const struct name_list *list, const char *name);
bool filter_has_address(const struct filter *filter, uint64_t address);
/* Whether NAME is one of LIST, or fits a glob of it. */
bool filter_matches(const struct name_list *list, const char *name);
bool filter_passes_task(
	const struct filter *filter, uint32_t pid, uint32_t tid);

#endif
