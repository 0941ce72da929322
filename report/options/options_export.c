/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"
#include "report/options/options_shared.h"

/* The names of the formats in report/cmd_export.c. */
static const char *const format_names[] = { "folded", "html", "perf-data",
	"pprof", "speedscope", "firefox", "callgrind", "chrome", "perf-script",
	"json", "csv", "svg", NULL };

static const struct cli_option export_options[] = {
	INPUT_OPTION,
	{ 0, "format", CLI_VALUE, "FORMAT",
		"output format: folded, html, perf-data, pprof, speedscope, "
		"firefox, callgrind, chrome, perf-script, json, csv, svg",
		.slot = offsetof(struct options, output.format),
		.words = format_names },
	{ 'o', "output", CLI_VALUE, "FILE",
		"write to FILE (default: standard output)",
		.slot = offsetof(struct options, output.file) },
	{ 0, "force", CLI_NONE, NULL, "replace FILE if it exists",
		.slot = offsetof(struct options, output.is_forced) },
	MAX_OUTPUT_OPTION,
	GROUPING_OPTION("process"),
	{ 0, "inverted", CLI_NONE, NULL,
		"begin the flame graph of --format svg with the functions with "
		"own samples, and show their callers above them",
		.slot = offsetof(struct options, stacks.has_callees_first) },
	TIME_OPTIONS,
	INLINE_OPTION,
	INLINE_SELF_OPTION,
	TRANSFORM_OPTIONS,
	PLACE_OPTIONS,
	SOURCE_PATH_OPTION,
	DEMANGLE_OPTION,
	GUESS_OPTION,
	FILTER_OPTIONS,
	SYMBOL_FILTER_OPTION,
	CLI_LOG_OPTIONS,
};

/* The formats that can contain off-CPU time; the others contain raw samples. */
static const char *const time_formats[] = { "folded", "html", "svg", "pprof",
	"speedscope", "firefox", "callgrind", "json", "csv" };
/* The formats of which stacks can begin with a process or thread. */
static const char *const grouped_formats[] = { "folded", "html", "svg",
	"callgrind" };

static bool is_format_of(
	const char *format, const char *const *formats, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (string_is(format, formats[i]))
			return true;
	return false;
}

/* Returns an error if the format does not accept one of the other options. */
static struct error *check_format(const struct options *options)
{
	const char *format = options->output.format;

	if (!format)
		return NULL;
	if (options->time.counted &&
		!is_format_of(format, time_formats, ARRAY_SIZE(time_formats)))
		return error_usage("--off-cpu and --wall require --format "
				   "folded, html, svg, pprof, speedscope, "
				   "firefox, callgrind, json or csv");
	if (options->stacks.has_chosen_grouping &&
		!is_format_of(
			format, grouped_formats, ARRAY_SIZE(grouped_formats)))
		return error_usage("--group-by requires --format folded, html, "
				   "svg or callgrind");
	if (options->stacks.has_callees_first && !string_is(format, "svg"))
		return error_usage("--inverted requires --format svg; the page "
				   "of html has a switch");
	return NULL;
}

/*
 * Returns an error if an option that changes call stacks is given for a format
 * that contains samples as they were recorded.
 */
static struct error *check_transforms(const struct options *options)
{
	bool is_raw = options->output.format &&
		(string_is(options->output.format, "perf-data") ||
			string_is(options->output.format, "perf-script"));

	if (!is_raw ||
		(!options->stacks.transforms.at.n &&
			options->stacks.inline_self != OPTION_ON))
		return NULL;
	return error_usage("--%s requires another --format than perf-data and "
			   "perf-script, which contain call stacks as they "
			   "were recorded; use folded, html or json",
		options->stacks.transforms.at.n
			? transform_option(
				  options->stacks.transforms.at.at[0].kind)
			: "inline-self");
}

struct error *options_export(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell export --format FORMAT [options] [FILE]",
		"Writes a recording in the format of another tool.",
		export_options,
		ARRAY_SIZE(export_options),
		.complete = paths_complete,
	};
	struct error *err;

	options->code.max_functions = OPTIONS_PAGE_FUNCTIONS;
	options->output.max_output = OUTPUT_LIMIT_BY_INPUT;
	err = options_parse(&cli, argc, argv, options);

	options->input.single = "dwell export";
	/* By default, flame graphs show on-CPU and off-CPU time together. */
	options->time.prefers_wall = !options->time.is_chosen &&
		!options->filter.events.names.n && options->output.format &&
		(string_is(options->output.format, "html") ||
			string_is(options->output.format, "svg"));
	if (!err)
		err = check_format(options);
	return err ? err : check_transforms(options);
}
