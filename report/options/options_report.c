/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"
#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/util/filter.h"

static CLI_PARSER(parse_widths)
{
	struct option_widths *widths = slot;
	_cleanup_free_ char *copy = xstrdup(value);
	char *rest = copy, *word;
	struct error *err = NULL;
	uint64_t width;

	array_free(&widths->columns);
	while (!err && (word = strsep(&rest, ","))) {
		err = cli_number(
			word, "--column-widths", 0, UINT16_MAX, &width);
		if (!err)
			*array_push(&widths->columns) = (uint32_t)width;
	}
	return err;
}

static const char *const judges[] = { "libunwind", "libdw", "kernel", NULL };

static CLI_PARSER(parse_check_unwinding)
{
	struct options *options = slot;

	options->check.is_requested = true;
	options->check.judge = value;
	return NULL;
}

static const struct cli_option report_options[] = {
	INPUT_OPTION,
	TUI_OPTION,
	{ 0, "stdio", CLI_NONE, NULL,
		"print a text table (default if not on a terminal)", 0,
		options_parse_view },
	TABLE_OPTIONS("dwell-report(1)"),
	{ 's', "sort", CLI_VALUE, "FIELD,...",
		"group samples by these fields: comm, dso, sym, pid, tid, cpu "
		"and others; +FIELD adds a field (default: comm,dso,sym)",
		offsetof(struct options, rows.sort), options_parse_fields,
		.complete = field_complete_keys },
	{ 'F', "fields", CLI_VALUE, "FIELD,...",
		"print these columns: overhead, sample, period and the fields "
		"of -s; +FIELD adds a column",
		offsetof(struct options, rows.fields), options_parse_fields,
		.complete = field_complete },
	{ 'b', "branch-stack", CLI_NONE, NULL,
		"count the entries of branch stacks (default if the recording "
		"has branch stacks)",
		offsetof(struct options, count.branches),
		options_parse_choice },
	{ 0, "mem-mode", CLI_NONE, NULL,
		"count memory accesses by their weight (latency)",
		.slot = offsetof(struct options, count.weighs_accesses) },
	TIME_OPTIONS,
	{ 0, "group", CLI_NONE, NULL,
		"print one table with a column per event (default for events "
		"that were recorded as a group)",
		offsetof(struct options, count.groups), options_parse_choice },
	{ 0, "time-quantum", CLI_VALUE, "TIME",
		"round the field time down to a multiple of TIME: 10s, 100ms, "
		"5us (default: 100ms)",
		offsetof(struct options, count.quantum_ns),
		options_parse_span },
	{ 0, "ns", CLI_NONE, NULL, "print the field time in nanoseconds",
		.slot = offsetof(struct options, script.has_ns) },
	{ 0, "children", CLI_NONE, NULL,
		"also count samples for the callers of the sampled function "
		"(default with call chains)",
		offsetof(struct options, rows.children), options_parse_choice },
	{ 'g', "call-graph", CLI_LAST, "STYLE",
		"style of call graphs, words separated by commas: graph, "
		"fractal, flat, folded or none; minimum percentage; maximum "
		"number of branches; caller or callee; function, address or "
		"srcline; percent, period or count (default: "
		"graph,0.5,caller,function,percent)",
		0, options_parse_graph, .complete = options_complete_graph },
	{ 'G', "inverted", CLI_NONE, NULL,
		"start call graphs at the outermost callers",
		.slot = offsetof(struct options, stacks.is_inverted) },
	{ 0, "max-stack", CLI_VALUE, "N",
		"use at most N frames of each call chain",
		offsetof(struct options, script.max_stack), cli_parse_number, 1,
		UINT32_MAX },
	INLINE_OPTION,
	INLINE_SELF_OPTION,
	TRANSFORM_OPTIONS,
	FULL_PATH_OPTION,
	{ 'p', "parent", CLI_VALUE, "REGEX",
		"print a column with the first caller whose name matches REGEX",
		offsetof(struct options, stacks.parent), options_parse_regex },
	{ 'x', "exclude-other", CLI_NONE, NULL,
		"with -p: use only samples with a matching caller",
		.slot = offsetof(struct options, stacks.excludes_other) },
	{ 0, "ignore-callees", CLI_VALUE, "REGEX",
		"count samples in callees of functions that match REGEX as "
		"samples of these functions",
		offsetof(struct options, stacks.ignored_callees),
		options_parse_regex },
	{ 'U', "hide-unresolved", CLI_NONE, NULL,
		"omit samples and frames in code without a symbol",
		.slot = offsetof(struct options, stacks.hides_unresolved) },
	{ 0, "percentage", CLI_VALUE, "OF",
		"absolute: percentages of all samples; relative: percentages "
		"of samples that match the filters (default: absolute)",
		offsetof(struct options, rows.is_relative), cli_parse_either,
		.words = options_percentages },
	{ 'n', "show-nr-samples", CLI_NONE, NULL,
		"print a column with the number of samples",
		.slot = offsetof(struct options, rows.shows_samples) },
	{ 0, "symbol-filter", CLI_VALUE, "TEXT",
		"print only rows of functions whose name contains TEXT",
		.slot = offsetof(struct options, filter.row_part) },
	{ 0, "show-total-period", CLI_NONE, NULL,
		"print a column with the sum of periods",
		.slot = offsetof(struct options, rows.shows_period) },
	{ 0, "percent-limit", CLI_VALUE, "PERCENT",
		"hide rows below this percentage",
		offsetof(struct options, rows.percent_limit),
		options_parse_percent },
	{ 'w', "column-widths", CLI_VALUE, "WIDTH,...",
		"widths of the columns; 0 is the width that the text needs",
		offsetof(struct options, rows.widths), parse_widths },
	{ 't', "field-separator", CLI_VALUE, "SEPARATOR",
		"separate columns with SEPARATOR and without spaces",
		offsetof(struct options, rows.separator),
		options_parse_separator },
	MAX_OUTPUT_OPTION,
	HEADER_OPTIONS,
	{ 0, "stats", CLI_NONE, NULL,
		"print only the number of records by type",
		.slot = offsetof(struct options, facts.shows_stats) },
	{ 0, "tasks", CLI_NONE, NULL,
		"print only the tree of threads and their parents",
		.slot = offsetof(struct options, facts.shows_tasks) },
	{ 0, "mmaps", CLI_NONE, NULL,
		"print only the tree of threads and their mappings",
		.slot = offsetof(struct options, facts.shows_maps) },
	{ 0, "check-unwinding", CLI_OPTIONAL, "JUDGE",
		"print only how many stack copies of the recording libunwind, "
		"libdw or the kernel unwound to the same frames as dwell, by "
		"file",
		0, parse_check_unwinding, .words = judges },
	{ 0, "max-differ", CLI_VALUE, "PERCENT",
		"with --check-unwinding: exit with status 1 if more stacks "
		"have different frames",
		offsetof(struct options, check.max_differ),
		options_parse_percent },
	PLACE_OPTIONS,
	SOURCE_PATH_OPTION,
	DEMANGLE_OPTION,
	GUESS_OPTION,
	FILTER_OPTIONS_WITH(CLI_LAST,
		"use only samples in these programs and libraries; without "
		"NAME: list all sampled programs and libraries and the source "
		"of their symbols"),
	CLI_LOG_OPTIONS,
};

struct error *options_report(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell report [options] [FILE...]",
		"Reports which functions of a recording used the time.",
		report_options,
		ARRAY_SIZE(report_options),
		false,
		"report",
		paths_complete,
	};
	struct error *err;

	options->annotation.has_source = true;
	options->output.max_output = OUTPUT_LIMIT_BY_INPUT;
	options->check.max_differ = 100;
	err = options_parse(&cli, argc, argv, options);

	if (options->facts.shows_stats)
		options->input.single = "--stats";
	if (options->facts.shows_tasks || options->facts.shows_maps)
		options->input.single =
			options->facts.shows_maps ? "--mmaps" : "--tasks";
	if (options->check.is_requested)
		options->input.single = "--check-unwinding";
	else if (!err && options->check.max_differ < 100)
		err = error_usage("--max-differ needs --check-unwinding");
	if (!err && options->time.counted &&
		(options->count.weighs_accesses ||
			options->count.branches == OPTION_ON ||
			options->count.groups == OPTION_ON))
		err = error_usage("--off-cpu and --wall exclude --mem-mode, "
				  "--branch-stack and --group: they report "
				  "time, not samples");
	if (!err && options->count.weighs_accesses &&
		options->count.branches == OPTION_ON)
		err = error_usage("--mem-mode and --branch-stack exclude each "
				  "other: use one of them");
	return err;
}
