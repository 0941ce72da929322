/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"
#include "report/options/options_shared.h"
#include "report/util/times.h"

CLI_PARSER(options_parse_names)
{
	filter_add_names(slot, value);
	return NULL;
}

static struct error *add_listed(const struct cli_option *option,
	const char *names, struct name_list *list)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	return error_wrap(filter_add_listed(list, names), "%s", name);
}

CLI_PARSER(options_parse_listed)
{
	return add_listed(option, value, slot);
}

CLI_PARSER(options_parse_dsos)
{
	struct options *options = slot;

	options->shows_dsos = is_on && !value;
	return add_listed(option, is_on ? value : NULL, &options->filter.dsos);
}

CLI_PARSER(options_parse_numbers)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	return filter_add_numbers(slot, name, value);
}

CLI_PARSER(options_parse_cpus)
{
	cpus_deinit(slot);
	return cpus_parse(value, slot)
		? NULL
		: error_usage("--cpu: '%s' is not a list of CPUs such as 0-3,7",
			  value);
}

/* The text is parsed again when the length of the recording is known. */
CLI_PARSER(options_parse_times)
{
	const struct time_range any = { 0, UINT32_MAX };
	struct time_ranges times = { 0 };
	struct error *err = times_parse(value, &any, &times);

	*(const char **)slot = value;
	times_deinit(&times);
	return err;
}
