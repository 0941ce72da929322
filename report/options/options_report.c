/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/log.h"
#include "report/options/options_shared.h"
#include "report/util/pattern.h"

static struct error *take_sort(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	options->sort = value;
	return options_check_fields("--sort", value);
}

static struct error *take_fields(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	options->fields = value;
	return options_check_fields("--fields", value);
}

#define DEFINE_CHOICE(name, choice)                                           \
	static struct error *name(                                             \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		(void)value;                                                   \
		options->choice = is_on ? CHOICE_ON : CHOICE_OFF;              \
		return NULL;                                                   \
	}

DEFINE_CHOICE(take_branches, branches)
DEFINE_CHOICE(take_groups, groups)
DEFINE_CHOICE(take_children, children)

static struct error *take_quantum(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return options_take_span(
		"--time-quantum", value, &options->quantum_ns);
}

static struct error *take_parent(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->parent = is_on ? value : NULL;
	return is_on ? pattern_check("--parent", value) : NULL;
}

static struct error *take_ignored(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->ignored_callees = is_on ? value : NULL;
	return is_on ? pattern_check("--ignore-callees", value) : NULL;
}

static struct error *take_widths(void *context, const char *value, bool is_on)
{
	_cleanup_free_ char *copy = xstrdup(is_on ? value : "");
	struct options *options = context;
	char *rest = copy, *word;
	struct error *err = NULL;
	uint64_t width;

	array_free(&options->widths.columns);
	while (!err && is_on && (word = strsep(&rest, ","))) {
		err = cli_number(word, "--column-widths", 0, UINT16_MAX,
			&width);
		if (!err)
			*array_push(&options->widths.columns) =
				(uint32_t)width;
	}
	return err;
}

static struct error *take_limit(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return options_take_percent("--percent-limit", value, &options->percent_limit);
}

static const struct cli_option report_options[] = {
	INPUT_OPTION,
	TUI_OPTION,
	{ 0, "stdio", CLI_NONE, NULL, "a table of text (default elsewhere)",
		options_take_stdio },
	TABLE_OPTIONS("dwell-report(1)"),
	{ 's', "sort", CLI_VALUE, "FIELD,...",
		"group by these fields: comm, dso, sym, pid, tid, cpu, and "
		"more; +FIELD adds one (comm,dso,sym)",
		take_sort },
	{ 'F', "fields", CLI_VALUE, "FIELD,...",
		"show these columns: overhead, sample, period, and the fields "
		"of -s; +FIELD adds one",
		take_fields },
	{ 'b', "branch-stack", CLI_NONE, NULL,
		"count the branches of branch stacks (default where there "
		"are any)",
		take_branches },
	{ 0, "mem-mode", CLI_NONE, NULL,
		"count accesses to memory, each by its weight",
		.slot = offsetof(struct options, weighs_accesses) },
	TIME_OPTIONS,
	{ 0, "group", CLI_NONE, NULL,
		"a table with a column per event (default for events that "
		"were recorded as a group)",
		take_groups },
	{ 0, "time-quantum", CLI_VALUE, "TIME",
		"what the field time rounds to: 10s, 100ms, 5us (100ms)",
		take_quantum },
	{ 0, "ns", CLI_NONE, NULL, "the field time to the nanosecond",
		.slot = offsetof(struct options, script.has_ns) },
	{ 0, "children", CLI_NONE, NULL,
		"add callees up into their callers (default with callchains)",
		take_children },
	{ 'g', "call-graph", CLI_LAST, "STYLE",
		"graph, fractal, flat, folded or none, the least percentage, "
		"most entries, caller or callee, function, address or srcline, "
		"percent, period or count (graph,0.5,caller,function,percent)",
		options_take_graph },
	{ 'G', "inverted", CLI_NONE, NULL, "call graph from callers down",
		.slot = offsetof(struct options, is_inverted) },
	{ 0, "max-stack", CLI_VALUE, "N", "at most N frames of a call chain",
		options_take_max_stack },
	INLINE_OPTION,
	FULL_PATH_OPTION,
	{ 'p', "parent", CLI_VALUE, "REGEX",
		"a column: the first such function among the callers",
		take_parent },
	{ 'x', "exclude-other", CLI_NONE, NULL,
		"with -p: only samples that have one",
		.slot = offsetof(struct options, excludes_other) },
	{ 0, "ignore-callees", CLI_VALUE, "REGEX",
		"count what such functions call as their own", take_ignored },
	{ 'U', "hide-unresolved", CLI_NONE, NULL,
		"leave out code whose name isn't known",
		.slot = offsetof(struct options, hides_unresolved) },
	{ 0, "percentage", CLI_VALUE, "OF",
		"relative: shares of what passes the filters; absolute: of "
		"all (absolute)",
		options_take_percentage },
	{ 'n', "show-nr-samples", CLI_NONE, NULL, "a column of sample counts",
		.slot = offsetof(struct options, shows_samples) },
	{ 0, "symbol-filter", CLI_VALUE, "TEXT",
		"only rows of functions whose name holds this text",
		.slot = offsetof(struct options, filter.row_part) },
	{ 0, "show-total-period", CLI_NONE, NULL, "a column of periods",
		.slot = offsetof(struct options, shows_period) },
	{ 0, "percent-limit", CLI_VALUE, "PERCENT", "hide rows below",
		take_limit },
	{ 'w', "column-widths", CLI_VALUE, "WIDTH,...",
		"widths of the columns, 0 for as wide as needed", take_widths },
	{ 't', "field-separator", CLI_VALUE, "SEPARATOR",
		"between columns, without blanks",
		options_take_separator },
	HEADER_OPTIONS,
	{ 0, "stats", CLI_NONE, NULL, "only count the records, by type",
		.slot = offsetof(struct options, shows_stats) },
	{ 0, "tasks", CLI_NONE, NULL, "only name the threads and their parents",
		.slot = offsetof(struct options, shows_tasks) },
	{ 0, "mmaps", CLI_NONE, NULL, "these, and what they had mapped",
		.slot = offsetof(struct options, shows_maps) },
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	FILTER_OPTIONS_WITH(CLI_LAST,
		"only samples in these programs and libraries; without names: "
		"a table of all that were hit, and what is known of each"),
	CLI_LOG_OPTIONS,
};

static const struct cli_foreign foreign[] = {
	FOREIGN_FORCE,
	{ 'D', "dump-raw-trace", "dwell script -D prints every record" },
	{ 'T', "threads", "-s tid,sym shows threads apart" },
	{ 0, "branch-history",
		"dwell keeps branches apart from callchains: -b counts them, "
		"dwell script -F brstack prints them" },
};

struct error *options_report(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell report [options] [FILE...]",
		"Shows where the time of a recording went.",
		report_options, ARRAY_SIZE(report_options), false,
		foreign, ARRAY_SIZE(foreign),
	};
	struct error *err;

	options->annotation.has_source = true;
	err = options_parse(&cli, argc, argv, options);

	if (options->shows_stats)
		options->single = "--stats";
	if (options->shows_tasks || options->shows_maps)
		options->single = options->shows_maps ? "--mmaps" : "--tasks";
	if (!err && options->time &&
		(options->weighs_accesses || options->branches == CHOICE_ON ||
			options->groups == CHOICE_ON))
		err = error_usage("--off-cpu and --wall count time: without "
				  "--mem-mode, --branch-stack and --group");
	if (!err && options->weighs_accesses && options->branches == CHOICE_ON)
		err = error_usage("--mem-mode and --branch-stack count "
				  "different things: give one of them");
	return err;
}
