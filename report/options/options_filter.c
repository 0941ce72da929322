/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options_shared.h"
#include "report/util/times.h"

/* --no-NAME forgets what was named before. */
#define DEFINE_NAMES(name, list)                                               \
	struct error *name(                                                    \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		filter_add_names(                                              \
			&options->filter.list, is_on ? value : NULL);          \
		return NULL;                                                   \
	}

DEFINE_NAMES(options_take_events, events)
DEFINE_NAMES(options_take_cgroups, cgroups)
DEFINE_NAMES(options_take_hosts, hosts)

/* The same of names that a file may hold. */
#define DEFINE_LISTED(name, list, option)                                      \
	struct error *name(                                                    \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		return error_wrap(                                             \
			filter_add_listed(&options->filter.list,               \
				is_on ? value : NULL),                         \
			option);                                               \
	}

DEFINE_LISTED(options_take_comms, comms, "--comms")
DEFINE_LISTED(options_take_symbols, symbols, "--symbols")

/* Without a name, where that may be, it is a table that is asked for. */
struct error *options_take_dsos(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->shows_dsos = is_on && !value;
	return error_wrap(filter_add_listed(&options->filter.dsos,
				  is_on ? value : NULL),
		"--dsos");
}

struct error *options_take_pids(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	return filter_add_numbers(
		&options->filter.pids, "--pid", is_on ? value : NULL);
}

struct error *options_take_tids(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	return filter_add_numbers(
		&options->filter.tids, "--tid", is_on ? value : NULL);
}

struct error *options_take_cpus(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	cpus_deinit(&options->filter.cpus);
	if (!is_on || cpus_parse(value, &options->filter.cpus))
		return NULL;
	return error_usage(
		"--cpu: '%s' is no list of CPUs such as 0-3,7", value);
}

/* Read again when the recording's length is known; here for the mistakes. */
struct error *options_take_times(void *context, const char *value, bool is_on)
{
	const struct time_range any = { 0, UINT32_MAX };
	struct options *options = context;
	struct time_ranges times = { 0 };
	struct error *err = NULL;

	options->filter.times = is_on ? value : NULL;
	if (is_on)
		err = times_parse(value, &any, &times);
	times_deinit(&times);
	return err;
}
