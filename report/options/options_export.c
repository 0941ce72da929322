/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"
#include "report/options/options_shared.h"

static const struct cli_option export_options[] = {
	INPUT_OPTION,
	{ 0, "format", CLI_VALUE, "FORMAT",
		"output format: folded, html, perf-data, pprof, speedscope, "
		"firefox, callgrind, chrome, perf-script, json, csv, svg",
		.slot = offsetof(struct options, format) },
	{ 'o', "output", CLI_VALUE, "FILE",
		"write to FILE (default: standard output)",
		.slot = offsetof(struct options, output) },
	{ 0, "force", CLI_NONE, NULL, "replace FILE if it exists",
		.slot = offsetof(struct options, is_forced) },
	MAX_OUTPUT_OPTION,
	TIME_OPTIONS,
	INLINE_OPTION,
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	FILTER_OPTIONS,
	SYMBOL_FILTER_OPTION,
	CLI_LOG_OPTIONS,
};

/*
 * Returns whether the export FORMAT can contain off-CPU time; the other formats
 * contain raw samples.
 */
static bool counts_time(const char *format)
{
	static const char *const formats[] = { "folded", "html", "svg", "pprof",
		"speedscope", "firefox", "callgrind", "json", "csv" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (string_is(format, formats[i]))
			return true;
	return false;
}

struct error *options_export(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell export --format FORMAT [options] [FILE]",
		"Writes a recording in the format of another tool.",
		export_options,
		ARRAY_SIZE(export_options),
		false,
	};
	struct error *err;

	options->max_functions = OPTIONS_PAGE_FUNCTIONS;
	options->max_output = OUTPUT_LIMIT_BY_INPUT;
	err = options_parse(&cli, argc, argv, options);

	options->single = "dwell export";
	/* By default, flame graphs show on-CPU and off-CPU time together. */
	options->prefers_wall = !options->has_chosen_time &&
		!options->filter.events.names.n && options->format &&
		(string_is(options->format, "html") ||
			string_is(options->format, "svg"));
	if (!err && options->time && options->format &&
		!counts_time(options->format))
		err = error_usage("--off-cpu and --wall require --format "
				  "folded, html, svg, pprof, speedscope, "
				  "firefox, callgrind, json or csv");
	return err;
}
