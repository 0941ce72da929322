/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/rows/ratio.h"
#include "report/util/times.h"

#define KEYS "dso,sym"
/*
 * Default keys for off-CPU time. The state and command are keys because nearly
 * all threads leave their CPUs in the same kernel function.
 */
#define TIME_KEYS "state,comm,dso,sym"
#define WEIGHT_MAX 1000000u

/*
 * Returns an error if a field in NAMES is a number of a row, such as a
 * percentage, and not a key.
 */
static struct error *check_keys(const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = field_next_name(&rest))) {
		const struct field *field = field_find(word);

		if (field ? field->kind != FIELD_KEY : ratio_is_named(word))
			return error_usage(
				"--sort: rows cannot be grouped by the number "
				"'%s'. Use a field that is no number, such as "
				"dso, sym or comm",
				word);
		n++;
	}
	return n ? NULL
		 : error_usage("--sort: no key given; use keys such as dso, "
			       "sym or comm");
}

static CLI_PARSER(parse_keys)
{
	struct options *options = slot;
	struct error *err =
		options_parse_fields(option, value, is_on, &options->rows.sort);

	free(options->diff.sort);
	options->diff.sort = *value == '+' ? xasprintf(KEYS ",%s", value + 1)
					   : xstrdup(value);
	options->rows.sort = options->diff.sort;
	return err ? err : check_keys(options->rows.sort);
}

static CLI_PARSER(parse_compute)
{
	struct style_diff *style = slot;

	style->weights[0] = style->weights[1] = 1;
	style->has_compute = true;
	if (style_diff_compute_find(value, &style->compute))
		return NULL;
	if (!strncmp(value, "wdiff:", strlen("wdiff:"))) {
		style->compute = STYLE_DIFF_WDIFF;
		/* The text after "wdiff:" is two weights such as "2,3". */
		const char *text = value + strlen("wdiff:");
		const char *comma = strchr(text, ',');
		_cleanup_free_ char *first = NULL;
		struct error *err;

		if (!comma)
			return error_usage(
				"--compute: wdiff:%s has one weight; use wdiff:W1,W2 "
				"with the weight of the baseline first",
				text);
		first = xstrndup(text, (size_t)(comma - text));
		err = cli_number(first, "--compute wdiff", 1, WEIGHT_MAX,
			&style->weights[0]);
		return err ? err
			   : cli_number(comma + 1, "--compute wdiff", 1,
				     WEIGHT_MAX, &style->weights[1]);
	}
	if (string_is(value, "cycles"))
		return error_usage("--compute: cycles of basic blocks are not "
				   "supported; use dwell annotate");
	return error_usage("--compute: unknown method '%s'; use delta-abs, "
			   "delta, ratio or wdiff:W1,W2",
		value);
}

static const char *const normalizations[] = { "none", "time", "share", NULL };

static CLI_PARSER(parse_normalize)
{
	struct style_diff *style = slot;

	style->is_normalized = true;
	style->measure = string_is(value, "none") ? STYLE_DIFF_PERIOD
		: string_is(value, "time")	  ? STYLE_DIFF_RATE
						  : STYLE_DIFF_SHARE;
	/* "total" is the former name of "share". */
	if (style->measure != STYLE_DIFF_SHARE || string_is(value, "share") ||
		string_is(value, "total"))
		return NULL;
	return error_usage(
		"--normalize: unknown value '%s'; use none, time or share",
		value);
}

/* In other commands, -o names the output file: -o FILE does it here, too. */
static CLI_PARSER(parse_order_or_output)
{
	struct options *options = slot;
	const char *digits = value + (*value == '-');

	if (*digits && !digits[strspn(digits, "0123456789")])
		return cli_number(
			value, "--order", 0, UINT32_MAX, &options->diff.order);
	if (!*value)
		return error_usage("-o: the name is empty");
	options->output.file = value;
	return NULL;
}

/*
 * Parses --time: checks one time range for each recording, separated by colons,
 * or one range for all recordings. The text is parsed again when the lengths of
 * the recordings are known.
 */
static CLI_PARSER(parse_times)
{
	const struct time_range any = { 0, UINT32_MAX };
	struct filter_names *list = slot;
	_cleanup_free_ char *copy = xstrdup(value);
	char *rest = copy, *word;
	struct error *err = NULL;

	filter_names_deinit(list);
	while (!err && (word = strsep(&rest, ":"))) {
		struct time_ranges times = { 0 };

		err = times_parse(word, &any, &times);
		times_deinit(&times);
		*array_push(&list->names) = xstrdup(word);
	}
	return err;
}

static const struct cli_option diff_options[] = {
	TUI_OPTION,
	{ 0, "stdio", CLI_NONE, NULL,
		"print a text table (default if not on a terminal)", 0,
		options_parse_view },
	TABLE_OPTIONS("dwell-diff(1)"),
	{ 0, "html", CLI_NONE, NULL,
		"write an HTML page with a flame graph coloured by the change",
		0, options_parse_view },
	PAGE_OPTIONS(0),
	GROUPING_OPTION("none"),
	{ 'c', "compute", CLI_VALUE, "HOW",
		"how to compare: delta-abs, delta, ratio, or wdiff:W1,W2 with "
		"the weight of the baseline first (default: delta-abs)",
		offsetof(struct options, diff), parse_compute,
		.complete = style_diff_compute_complete },
	{ 0, "normalize", CLI_VALUE, "BY",
		"none: compare periods, such as CPU time; time: periods per "
		"second; share: percentages (default: none for commands that "
		"ended, else time; with -c as in perf)",
		offsetof(struct options, diff), parse_normalize,
		.words = normalizations },
	{ 's', "sort", CLI_VALUE, "KEY,...",
		"group samples by these keys, as in dwell report; +KEY adds a "
		"key (default: " KEYS ")",
		0, parse_keys, .complete = field_complete_keys },
	{ 'o', "order", CLI_VALUE, "N",
		"sort rows by the change of recording N; 0: by the baseline "
		"(default: 1); with --html, -o FILE is --output FILE",
		0, parse_order_or_output },
	{ 'b', "baseline-only", CLI_NONE, NULL,
		"print only rows that the baseline and another recording have",
		.slot = offsetof(struct options, diff.baseline_only) },
	{ 'p', "period", CLI_NONE, NULL,
		"print columns with the sums of periods",
		.slot = offsetof(struct options, diff.shows_period) },
	{ 'F', "formula", CLI_NONE, NULL,
		"print a column with the formula of the change",
		.slot = offsetof(struct options, diff.shows_formula) },
	{ 'n', "show-nr-samples", CLI_NONE, NULL,
		"print columns with the numbers of samples",
		.slot = offsetof(struct options, rows.shows_samples) },
	{ 0, "percentage", CLI_VALUE, "OF",
		"absolute: percentages of all samples; relative: percentages "
		"of samples that match the filters (default: absolute)",
		offsetof(struct options, rows.is_relative), cli_parse_either,
		.words = options_percentages },
	{ 't', "field-separator", CLI_VALUE, "SEPARATOR",
		"separate columns with SEPARATOR and without spaces",
		offsetof(struct options, rows.separator),
		options_parse_separator },
	TIME_OPTIONS,
	TRANSFORM_OPTIONS,
	FULL_PATH_OPTION,
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	GUESS_OPTION,
	FILTER_OPTIONS_BY('C', 0, CLI_VALUE,
		"use only samples in these programs and libraries"),
	{ 0, "time", CLI_VALUE, "PART",
		"use only samples in this time range, as in dwell report; "
		"colons separate the ranges of several recordings",
		offsetof(struct options, diff.times), parse_times },
	CLI_LOG_OPTIONS,
};

static struct error *check_page(const struct options *options)
{
	if (!string_is(options->output.view, "html")) {
		if (options->output.file)
			return error_usage("--output %s requires --html; to "
					   "sort by recording N, use -o N",
				options->output.file);
		if (options->output.is_forced)
			return error_usage("--force requires --html");
		if (options->stacks.has_chosen_grouping)
			return error_usage("--group-by requires --html");
		return NULL;
	}
	if (options->rows.is_relative)
		return error_usage(
			"--percentage relative excludes --html: percentages of "
			"the page are of all samples");
	return NULL;
}

struct error *options_diff(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell diff [options] [BASELINE] [FILE...]",
		"Compares recordings, and reports which differences can be "
		"random.",
		diff_options,
		ARRAY_SIZE(diff_options),
		false,
		"diff",
		paths_complete,
	};
	struct style_diff *style = &options->diff;
	struct error *err;

	options->rows.sort = KEYS;
	options->rows.children = OPTION_OFF;
	options->count.branches = OPTION_OFF;
	options->count.groups = OPTION_OFF;
	options->graph.style = OPTION_GRAPH_NONE;
	options->stacks.grouping = STYLE_FLAME_BY_NONE;
	style->order = 1;
	style->weights[0] = style->weights[1] = 1;
	err = options_parse(&cli, argc, argv, options);
	style_diff_finish(style);
	if (options->time.counted && !style->sort)
		options->rows.sort = TIME_KEYS;
	return err ? err : check_page(options);
}
