/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that select samples. An empty list passes every sample. As in
 * perf there are two kinds: samples excluded by CPU, time, event, control group
 * or host (inputs.h) count as not recorded (sample_selection.h); samples
 * excluded by others still count in the total of shares.
 */
#ifndef DWELL_REPORT_UTIL_FILTER_H
#define DWELL_REPORT_UTIL_FILTER_H

#include <regex.h>

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
	ARRAY(uint64_t) addresses; /* of sampled code */
	uint64_t address_range;    /* bytes from each address on; 0: 1 byte */
	const char *symbol_part;   /* symbols that contain this; or NULL */
	const char *row_part; /* rows whose symbol contains this; or NULL */
	struct cpus cpus;
	const char *times; /* as given (times.h); NULL: all */
};

void filter_names_deinit(struct name_list *list);
void filter_deinit(struct filter *filter);

/* Adds the words of a comma-separated list; NULL empties the list. */
void filter_add_names(struct name_list *list, const char *words);
/*
 * Does the same for names of functions, threads and files: a comma inside
 * brackets belongs to its name, as in "f<int, char>". Each line of file://PATH
 * is a name. It is an error if that file cannot be read or has no names.
 */
struct error *filter_add_listed(
	struct name_list *list, const char *words) _must_check_;
/* Does the same with numbers; WHAT is the option, for messages. */
struct error *filter_add_numbers(struct number_list *list, const char *what,
	const char *words) _must_check_;

/* Adds the names of symbols that are hexadecimal numbers as addresses. */
void filter_add_addresses(struct filter *filter);

/* Whether all samples count in the total. */
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

bool filter_passes_name(const struct name_list *list, const char *name);
bool filter_has_address(const struct filter *filter, uint64_t address);
/* Whether NAME equals a name of LIST or matches a glob of it. */
bool filter_matches(const struct name_list *list, const char *name);
bool filter_passes_task(
	const struct filter *filter, uint32_t pid, uint32_t tid);

/* Regular expressions of options (POSIX extended, as in perf). */

/* Compiles TEXT for regexec(); regfree() frees RET. WHAT is the option. */
struct error *pattern_compile(
	const char *what, const char *text, regex_t *ret) _must_check_;

#endif
