/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options.h"

#include "common/cli.h"
#include "common/log.h"
#include "common/strbuf.h"
#include "report/fields.h"
#include "report/pattern.h"
#include "report/times.h"

#define TREE_LIMIT 0.5 /* percent */
#define QUANTUM_NS (NSEC_PER_SEC / 10)

static struct error *take_percent(
	const char *what, const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(value >= 0 && value <= 100))
		return error_usage(
			"%s: '%s' is not a percentage", what, text);
	*ret = value;
	return NULL;
}

/* A field of a tracepoint is known once the recording is read. */
static bool may_be_field(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_:.*-")];
}

static struct error *check_fields(const char *option, const char *names)
{
	_cleanup_free_ char *copy =
		xstrdup(names + (*names == '+' ? 1 : 0));
	char *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (!may_be_field(word))
			return field_unknown(option, word);
	return NULL;
}

static struct error *take_sort(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	options->sort = value;
	return check_fields("--sort", value);
}

static struct error *take_fields(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	options->fields = value;
	return check_fields("--fields", value);
}

static struct error *take_branches(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)value;
	options->branches = is_on ? CHOICE_ON : CHOICE_OFF;
	return NULL;
}

static struct error *take_groups(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)value;
	options->groups = is_on ? CHOICE_ON : CHOICE_OFF;
	return NULL;
}

static struct error *take_quantum(void *context, const char *value, bool is_on)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "s", NSEC_PER_SEC }, { "ms", NSEC_PER_SEC / 1000 },
		{ "us", 1000 }, { "ns", 1 } };
	size_t digits = strspn(value, "0123456789"), i;
	_cleanup_free_ char *number = xstrndup(value, digits);
	struct options *options = context;
	uint64_t count;
	struct error *err;

	(void)is_on;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!string_is(units[i].name, value + digits))
			continue;
		err = cli_number(number, "--time-quantum", 1,
			UINT64_MAX / units[i].ns, &count);
		if (!err)
			options->quantum_ns = count * units[i].ns;
		return err;
	}
	return error_usage("--time-quantum: '%s' is no time; give a number "
			   "with s, ms, us or ns behind it",
		value);
}

/* What -g knows, in perf's order: the beginning of a word will do. */
static const struct graph_word {
	const char *word;
	enum { WORD_STYLE, WORD_ORDER, WORD_KEY, WORD_VALUE } kind;
	unsigned value;
} graph_words[] = {
	{ "none", WORD_STYLE, GRAPH_NONE },
	{ "graph", WORD_STYLE, GRAPH_TREE },
	{ "flat", WORD_STYLE, GRAPH_FLAT },
	{ "fractal", WORD_STYLE, GRAPH_FRACTAL },
	{ "folded", WORD_STYLE, GRAPH_FOLDED },
	{ "caller", WORD_ORDER, CHOICE_ON },
	{ "callee", WORD_ORDER, CHOICE_OFF },
	{ "function", WORD_KEY, false },
	{ "address", WORD_KEY, true },
	{ "percent", WORD_VALUE, GRAPH_PERCENT },
	{ "period", WORD_VALUE, GRAPH_PERIOD },
	{ "count", WORD_VALUE, GRAPH_COUNT },
};

static bool take_graph_name(struct options *options, const char *name)
{
	const struct graph_word *word = graph_words;

	while (strncmp(word->word, name, strlen(name)))
		if (++word == graph_words + ARRAY_SIZE(graph_words))
			return false;
	switch (word->kind) {
	case WORD_STYLE: options->graph.style = word->value; break;
	case WORD_ORDER: options->callers_first = word->value; break;
	case WORD_KEY: options->graph.by_address = word->value; break;
	case WORD_VALUE: options->graph.value = word->value; break;
	}
	return true;
}

/* The first number is the limit in percent, the second one that of entries. */
static struct error *take_graph_number(
	struct options *options, const char *number, bool *has_limit)
{
	if (*has_limit)
		return cli_number(number, "--call-graph", 0, UINT32_MAX,
			&options->graph.entries);
	*has_limit = true;
	return take_percent("--call-graph", number, &options->graph.limit);
}

static struct error *take_graph(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	_cleanup_free_ char *copy = xstrdup(value ? value : "");
	char *rest = copy, *word;
	struct error *err = NULL;
	bool has_limit = false;

	options->graph.style = is_on ? GRAPH_TREE : GRAPH_NONE;
	while (!err && (word = strsep(&rest, ","))) {
		if (!*word || take_graph_name(options, word))
			continue;
		if (strspn(word, "0123456789.%") != strlen(word))
			return error_usage(
				"--call-graph: there is no '%s'; it takes "
				"graph, fractal, flat, folded or none, caller "
				"or callee, function or address, percent, "
				"period or count, and numbers",
				word);
		err = take_graph_number(options, word, &has_limit);
	}
	return err;
}

static struct error *take_children(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)value;
	options->children = is_on ? CHOICE_ON : CHOICE_OFF;
	return NULL;
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

static struct error *take_percentage(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->is_relative = is_on && string_is(value, "relative");
	if (!is_on || options->is_relative || string_is(value, "absolute"))
		return NULL;
	return error_usage("--percentage: '%s' is neither relative nor "
			   "absolute",
		value);
}

static struct error *take_max_stack(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return cli_number(value, "--max-stack", 1, UINT32_MAX,
		&options->script.max_stack);
}

static struct error *take_separator(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->separator = is_on ? value : NULL;
	/* A separator in a cell becomes a point. */
	if (is_on && (!*value || string_is(value, ".")))
		return error_usage("--field-separator: it can't be '%s'",
			value);
	return NULL;
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
	return take_percent("--percent-limit", value, &options->percent_limit);
}

#define DEFINE_VIEW(name, view_name)                                           \
	static struct error *name(                                             \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		(void)value;                                                   \
		options->view = is_on ? view_name : "stdio";                   \
		return NULL;                                                   \
	}

DEFINE_VIEW(take_stdio, "stdio")
DEFINE_VIEW(take_json, "json")
DEFINE_VIEW(take_csv, "csv")

/* --no-NAME forgets what was named before. */
#define DEFINE_NAMES(name, list)                                               \
	static struct error *name(                                             \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		filter_add_names(                                              \
			&options->filter.list, is_on ? value : NULL);          \
		return NULL;                                                   \
	}

DEFINE_NAMES(take_comms, comms)
DEFINE_NAMES(take_dsos, dsos)
DEFINE_NAMES(take_symbols, symbols)
DEFINE_NAMES(take_events, events)
DEFINE_NAMES(take_cgroups, cgroups)

static struct error *take_pids(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	return filter_add_numbers(
		&options->filter.pids, "--pid", is_on ? value : NULL);
}

static struct error *take_tids(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	return filter_add_numbers(
		&options->filter.tids, "--tid", is_on ? value : NULL);
}

static struct error *take_cpus(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	cpus_deinit(&options->filter.cpus);
	if (!is_on || cpus_parse(value, &options->filter.cpus))
		return NULL;
	return error_usage(
		"--cpu: '%s' is no list of CPUs such as 0-3,7", value);
}

/* Read again when the recording's length is known; here for the mistakes. */
static struct error *take_times(void *context, const char *value, bool is_on)
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

static struct error *take_script_fields(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	(void)is_on;
	return script_choice_add(&options->script.choice, value);
}

#define DEFINE_CLOCK(name, since)                                              \
	static struct error *name(                                             \
		void *context, const char *value, bool is_on)                  \
	{                                                                      \
		struct options *options = context;                             \
                                                                               \
		(void)value;                                                   \
		options->script.clock = is_on ? since : SCRIPT_CLOCK_FILE;     \
		return NULL;                                                   \
	}

DEFINE_CLOCK(take_reltime, SCRIPT_CLOCK_FIRST)
DEFINE_CLOCK(take_deltatime, SCRIPT_CLOCK_LAST)

#define HEADER_OPTIONS                                                         \
	{ 0, "header", CLI_NONE, NULL, "facts about the recording first",      \
		.slot = offsetof(struct options, shows_header) },              \
		{ 0, "header-only", CLI_NONE, NULL, "only these facts",        \
			.slot = offsetof(struct options, only_header) },       \
		{ 'I', "show-info", CLI_NONE, NULL,                            \
			"how the machine was built among them",                \
			.slot = offsetof(struct options, shows_info) }
#define INPUT_OPTION                                                           \
	{ 'i', "input", CLI_VALUE, "FILE",                                     \
		"recording to read, - for stdin (dwell.data, else perf.data)", \
		.slot = offsetof(struct options, input) }
#define FILTER_OPTIONS                                                         \
	{ 'c', "comms", CLI_VALUE, "NAME,...", "only these commands",          \
		take_comms },                                                  \
		{ 'd', "dsos", CLI_VALUE, "NAME,...",                          \
			"only samples in these programs and libraries",        \
			take_dsos },                                           \
		{ 'S', "symbols", CLI_VALUE, "NAME,...",                       \
			"only samples in these functions", take_symbols },     \
		{ 0, "pid", CLI_VALUE, "PID,...", "only these processes",      \
			take_pids },                                           \
		{ 0, "tid", CLI_VALUE, "TID,...", "only these threads",        \
			take_tids },                                           \
		{ 'C', "cpu", CLI_VALUE, "CPU,...",                            \
			"only samples of these CPUs: 0-3,7", take_cpus },      \
		{ 'e', "event", CLI_VALUE, "NAME,...",                         \
			"only these events, by name or glob", take_events },   \
		{ 0, "cgroup", CLI_VALUE, "PATH,...",                          \
			"only these control groups, by path or glob",          \
			take_cgroups },                                        \
		{ 0, "time", CLI_VALUE, "PART",                                \
			"only this time: START,STOP or 10%-20% or 10%/2",      \
			take_times }

static const struct cli_option report_options[] = {
	INPUT_OPTION,
	{ 0, "stdio", CLI_NONE, NULL, "a table of text (default)",
		take_stdio },
	{ 0, "json", CLI_NONE, NULL, "JSON, documented in dwell-report(1)",
		take_json },
	{ 0, "csv", CLI_NONE, NULL, "comma-separated values", take_csv },
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
	{ 0, "group", CLI_NONE, NULL,
		"a table with a column per event (default for events that "
		"were recorded as a group)",
		take_groups },
	{ 0, "time-quantum", CLI_VALUE, "TIME",
		"what the field time rounds to: 10s, 100ms, 5us (100ms)",
		take_quantum },
	{ 0, "children", CLI_NONE, NULL,
		"add callees up into their callers (default with callchains)",
		take_children },
	{ 'g', "call-graph", CLI_LAST, "STYLE",
		"graph, fractal, flat, folded or none, the least percentage, "
		"most entries, caller or callee, function or address, "
		"percent, period or count (graph,0.5,caller,function,percent)",
		take_graph },
	{ 'G', "inverted", CLI_NONE, NULL, "call graph from callers down",
		.slot = offsetof(struct options, is_inverted) },
	{ 0, "max-stack", CLI_VALUE, "N", "at most N frames of a call chain",
		take_max_stack },
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
		take_percentage },
	{ 'n', "show-nr-samples", CLI_NONE, NULL, "a column of sample counts",
		.slot = offsetof(struct options, shows_samples) },
	{ 0, "symbol-filter", CLI_VALUE, "TEXT",
		"only rows of functions whose name holds this text",
		.slot = offsetof(struct options, filter.symbol_part) },
	{ 0, "show-total-period", CLI_NONE, NULL, "a column of periods",
		.slot = offsetof(struct options, shows_period) },
	{ 0, "percent-limit", CLI_VALUE, "PERCENT", "hide rows below",
		take_limit },
	{ 'w', "column-widths", CLI_VALUE, "WIDTH,...",
		"widths of the columns, 0 for as wide as needed", take_widths },
	{ 't', "field-separator", CLI_VALUE, "SEPARATOR",
		"between columns, without blanks", take_separator },
	HEADER_OPTIONS,
	{ 0, "stats", CLI_NONE, NULL, "only count the records, by type",
		.slot = offsetof(struct options, shows_stats) },
	{ 0, "tasks", CLI_NONE, NULL, "only name the threads and their parents",
		.slot = offsetof(struct options, shows_tasks) },
	{ 0, "mmaps", CLI_NONE, NULL, "these, and what they had mapped",
		.slot = offsetof(struct options, shows_maps) },
	FILTER_OPTIONS,
	CLI_LOG_OPTIONS,
};

static const struct cli_option script_options[] = {
	INPUT_OPTION,
	{ 'F', "fields", CLI_VALUE, "[KIND:]FIELD,...",
		"what to print of each sample, as in dwell-script(1)",
		take_script_fields },
	{ 'G', "hide-call-graph", CLI_NONE, NULL,
		"the sampled address instead of the call chain",
		.slot = offsetof(struct options, script.hides_chain) },
	{ 0, "max-stack", CLI_VALUE, "N", "at most N frames of a call chain",
		take_max_stack },
	{ 0, "ns", CLI_NONE, NULL, "times to the nanosecond",
		.slot = offsetof(struct options, script.has_ns) },
	{ 0, "reltime", CLI_NONE, NULL, "times since the first sample",
		take_reltime },
	{ 0, "deltatime", CLI_NONE, NULL, "times since the sample before",
		take_deltatime },
	{ 'D', "dump-raw-trace", CLI_NONE, NULL,
		"every record of the file, in its order", .slot = offsetof(struct options, dumps_records) },
	HEADER_OPTIONS,
	FILTER_OPTIONS,
	CLI_LOG_OPTIONS,
};

static const struct cli_option export_options[] = {
	INPUT_OPTION,
	{ 0, "format", CLI_VALUE, "FORMAT",
		"folded: a line per stack; perf-data: without compression",
		.slot = offsetof(struct options, format) },
	{ 'o', "output", CLI_VALUE, "FILE", "where to (standard output)",
		.slot = offsetof(struct options, output) },
	FILTER_OPTIONS,
	CLI_LOG_OPTIONS,
};

struct error *options_words(const struct cli *cli, int argc, char **argv,
	void *context, const char **input)
{
	int first;
	struct error *err = cli_parse(cli, argc, argv, context, &first);

	if (err || first == argc)
		return err;
	if (first + 1 == argc && !*input) {
		*input = argv[first];
		return NULL;
	}
	return error_usage("'%s' is one word too many; see --help",
		argv[*input ? first : first + 1]);
}

static struct error *parse(const struct cli *cli, int argc, char **argv,
	struct options *options)
{
	struct error *err;

	options->view = "stdio";
	options->graph.limit = TREE_LIMIT;
	options->quantum_ns = QUANTUM_NS;
	options->script.max_stack = UINT64_MAX;
	script_choice_init(&options->script.choice);
	options->has_colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	err = options_words(cli, argc, argv, options, &options->input);
	options->shows_header |= options->only_header || options->shows_info;
	return err;
}

struct error *options_report(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell report [options] [FILE]",
		"Shows where the time of a recording went.",
		report_options, ARRAY_SIZE(report_options), false,
	};
	struct error *err = parse(&cli, argc, argv, options);

	if (!err && options->weighs_accesses && options->branches == CHOICE_ON)
		err = error_usage("--mem-mode and --branch-stack count "
				  "different things: give one of them");
	return err;
}

struct error *options_script(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell script [options] [FILE]",
		"Prints every sample of a recording as text.",
		script_options, ARRAY_SIZE(script_options), false,
	};

	return parse(&cli, argc, argv, options);
}

struct error *options_export(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell export --format FORMAT [options] [FILE]",
		"Writes a recording in the format of another tool.",
		export_options, ARRAY_SIZE(export_options), false,
	};
	struct error *err = parse(&cli, argc, argv, options);

	if (!err && !options->format)
		err = error_usage("name a format: --format folded or "
				  "--format perf-data");
	return err;
}

void options_deinit(struct options *options)
{
	filter_deinit(&options->filter);
	array_free(&options->widths.columns);
}
