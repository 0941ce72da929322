/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options_shared.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/pattern.h"
#include "report/rows/fields.h"
#include "report/util/demangle.h"
#include "report/util/filter.h"
#include "report/util/times.h"

#define TREE_LIMIT 0.5 /* percent */
#define QUANTUM_NS (NSEC_PER_SEC / 10)

const char *const options_percentages[] = { "absolute", "relative", NULL };

struct error *options_read_percent(
	const char *what, const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(value >= 0 && value <= 100))
		return error_usage("%s: '%s' is not a percentage; use a number "
				   "from 0 to 100",
			what, text);
	*ret = value;
	return NULL;
}

CLI_PARSER(options_parse_percent)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	return options_read_percent(name, value, slot);
}

CLI_PARSER(options_parse_span)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);

	return cli_span(value, name, slot);
}

CLI_PARSER(options_parse_counted_time)
{
	struct options *options = slot;
	bool is_wall = string_is(option->name, "wall");

	options->time.counted = !is_on ? OFFCPU_TIME_RECORDED
		: is_wall	       ? OFFCPU_TIME_WALL
				       : OFFCPU_TIME_OFF_CPU;
	options->time.is_chosen = true;
	return NULL;
}

CLI_PARSER(options_parse_choice)
{
	*(enum option_choice *)slot = is_on ? OPTION_ON : OPTION_OFF;
	return NULL;
}

CLI_PARSER(options_parse_regex)
{
	_cleanup_free_ char *name = xasprintf("--%s", option->name);
	regex_t regex;
	struct error *err = pattern_compile(name, value, &regex);

	*(const char **)slot = value;
	if (!err)
		regfree(&regex);
	return err;
}

CLI_PARSER(options_push_name)
{
	struct filter_names *list = slot;

	*array_push(&list->names) = xstrdup(value);
	return NULL;
}

CLI_PARSER(options_parse_demangle)
{
	demangle_turn(is_on);
	return NULL;
}

CLI_PARSER(options_parse_fields)
{
	_cleanup_free_ char *copy = xstrdup(value + (*value == '+' ? 1 : 0));
	_cleanup_free_ char *option_name = xasprintf("--%s", option->name);
	char *rest = copy, *word;

	*(const char **)slot = value;
	while ((word = field_next_name(&rest)))
		/*
		 * The names of tracepoint fields are not known before the
		 * recording is read, and ratios contain names of events.
		 */
		if (!(*word &&
			    !word[strspn(word,
				    "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_:.*-/=%")]))
			return field_unknown(option_name, word);
	return NULL;
}

CLI_PARSER(options_parse_separator)
{
	*(const char **)slot = value;
	/* "." replaces the separator in cells, so it cannot be one. */
	if (!*value || string_is(value, "."))
		return error_usage("--field-separator: '%s' cannot separate "
				   "columns; use another character",
			value);
	return NULL;
}

CLI_PARSER(options_parse_grouping)
{
	struct options *options = slot;

	options->stacks.has_chosen_grouping = true;
	return style_flame_grouping_find(value, &options->stacks.grouping)
		? NULL
		: error_usage("--group-by: unknown value '%s'; use process, "
			      "thread or none",
			  value);
}

/* If --stdio and another view are given, the last one is used, as in perf. */
CLI_PARSER(options_parse_view)
{
	struct options *options = slot;
	const char *before = options->output.chosen_view, *name = option->name;
	bool is_tui = string_is(name, "tui");

	options->output.view = is_on && !is_tui ? name : "stdio";
	options->output.interactive = is_on && is_tui ? OPTION_ON : OPTION_OFF;
	options->output.chosen_view =
		is_on && !string_is(name, "stdio") ? name : NULL;
	if (before && options->output.chosen_view && !string_is(before, name))
		return error_usage(
			"--%s and --%s exclude each other", before, name);
	return NULL;
}

CLI_PARSER(options_parse_transform)
{
	enum transform_kind kind = transform_find(option->name);

	if (!is_on)
		transform_list_remove(slot, kind);
	else if (value && !*value)
		return error_usage("--%s: the name is empty", option->name);
	else
		transform_list_add(slot, kind, value);
	return NULL;
}

static const struct {
	const char *name;
	enum transform_kind kind;
} lang_frames[] = {
	{ "fold", TRANSFORM_LANG_FOLD },
	{ "both", TRANSFORM_LANG_BOTH },
	{ "only", TRANSFORM_LANG_ONLY },
	{ "native", TRANSFORM_LANG_NATIVE },
};

COMPLETER(options_complete_lang_frames)
{
	completion_offer_names(completion, lang_frames);
}

/* The last one of several values counts. */
CLI_PARSER(options_parse_lang_frames)
{
	size_t i = 0;

	(void)is_on;
	while (i < ARRAY_SIZE(lang_frames) &&
		!string_is(value, lang_frames[i].name))
		i++;
	if (i == ARRAY_SIZE(lang_frames))
		return error_usage(
			"--%s: '%s' is not one of: fold, both, only, native",
			option->name, value);
	transform_list_set_lang(slot, lang_frames[i].kind);
	return NULL;
}

/* --- filters ----------------------------------------------------------- */

CLI_PARSER(options_parse_names)
{
	filter_add_names(slot, value);
	return NULL;
}

static struct error *add_listed(const struct cli_option *option,
	const char *names, struct filter_names *list)
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

	options->facts.shows_dsos = is_on && !value;
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

/*
 * Checks VALUE, a list of time ranges. The text is parsed again when the length
 * of the recording is known.
 */
CLI_PARSER(options_parse_times)
{
	const struct time_range any = { 0, UINT32_MAX };
	struct time_ranges times = { 0 };
	struct error *err = times_parse(value, &any, &times);

	*(const char **)slot = value;
	times_deinit(&times);
	return err;
}

/* --- places of files --------------------------------------------------- */

CLI_PARSER(options_parse_folder)
{
	struct stat status;

	*(const char **)slot = value;
	if (stat(value, &status) == 0 && S_ISDIR(status.st_mode))
		return NULL;
	return error_usage(
		"--%s: '%s' is not a directory", option->name, value);
}

CLI_PARSER(options_push_folder)
{
	const char *path;
	struct error *err = options_parse_folder(option, value, is_on, &path);

	return err ? err : options_push_name(option, value, is_on, slot);
}

CLI_PARSER(options_push_source_path)
{
	return search_sources_add(slot, "--source-path", value);
}

CLI_PARSER(options_parse_descriptors)
{
	struct filter_numbers *list = slot;
	struct error *err = options_parse_numbers(option, value, is_on, list);

	if (err)
		return err;
	array_each(&list->numbers, number)
		if (fcntl((int)*number, F_GETFD) < 0)
			return error_usage(
				"--%s: file descriptor %u is not open",
				option->name, *number);
	return NULL;
}

CLI_PARSER(options_parse_file)
{
	struct stat status;

	*(const char **)slot = value;
	if (stat(value, &status) == 0 && S_ISREG(status.st_mode) &&
		access(value, R_OK) == 0)
		return NULL;
	return error_usage("--%s: cannot read file '%s'", option->name, value);
}

/*
 * The variable DEBUGINFOD_URLS alone sends no request to a server: the option
 * --debuginfod must be given.
 */
CLI_PARSER(options_parse_servers)
{
	struct search_paths *places = slot;
	const char *urls = value ? value : getenv("DEBUGINFOD_URLS");

	places->uses_servers = is_on;
	places->server_urls = value;
	if (!is_on)
		return NULL;
	if (!urls || !urls[strspn(urls, " ")])
		return error_usage("--debuginfod: no server given; use "
				   "--debuginfod=URL or set DEBUGINFOD_URLS");
	/* libdebuginfod reads URLs with blanks between them. */
	static const char *const known[] = { "http://", "https://", "file://" };
	size_t length, i;

	for (; *(urls += strspn(urls, " ")); urls += length) {
		_cleanup_free_ char *url = NULL;

		length = strcspn(urls, " ");
		url = xasprintf("%.*s", (int)MIN(length, (size_t)4096), urls);
		/* A word without "://" is a host. */
		bool is_known = !strstr(url, "://");

		for (i = 0; i < ARRAY_SIZE(known); i++)
			is_known |=
				!strncasecmp(url, known[i], strlen(known[i]));
		if (!is_known)
			return error_usage(
				"--debuginfod: '%s' is not a supported URL; "
				"use http, https or file",
				url);
	}
	return NULL;
}

/* --- call graphs ------------------------------------------------------- */

/*
 * The words of -g, in perf's order. A prefix of a word selects the first match.
 */
static const struct graph_word {
	const char *name;
	enum { WORD_STYLE, WORD_ORDER, WORD_KEY, WORD_VALUE } kind;
	unsigned value;
} graph_words[] = {
	{ "none", WORD_STYLE, OPTION_GRAPH_NONE },
	{ "graph", WORD_STYLE, OPTION_GRAPH_TREE },
	{ "flat", WORD_STYLE, OPTION_GRAPH_FLAT },
	{ "fractal", WORD_STYLE, OPTION_GRAPH_FRACTAL },
	{ "folded", WORD_STYLE, OPTION_GRAPH_FOLDED },
	{ "caller", WORD_ORDER, OPTION_ON },
	{ "callee", WORD_ORDER, OPTION_OFF },
	{ "function", WORD_KEY, BRANCH_FUNCTION },
	{ "address", WORD_KEY, BRANCH_ADDRESS },
	{ "srcline", WORD_KEY, BRANCH_LINE },
	{ "percent", WORD_VALUE, OPTION_GRAPH_PERCENT },
	{ "period", WORD_VALUE, OPTION_GRAPH_PERIOD },
	{ "count", WORD_VALUE, OPTION_GRAPH_COUNT },
};

COMPLETER(options_complete_graph)
{
	completion_skip(completion, ",");
	completion_offer_names(completion, graph_words);
}

static bool parse_graph_name(struct options *options, const char *name)
{
	const struct graph_word *word = graph_words;

	while (strncmp(word->name, name, strlen(name)))
		if (++word == graph_words + ARRAY_SIZE(graph_words))
			return false;
	switch (word->kind) {
	case WORD_STYLE: options->graph.style = word->value; break;
	case WORD_ORDER: options->stacks.callers_first = word->value; break;
	case WORD_KEY: options->graph.key = word->value; break;
	case WORD_VALUE: options->graph.value = word->value; break;
	}
	return true;
}

CLI_PARSER(options_parse_graph)
{
	struct options *options = slot;
	_cleanup_free_ char *copy = xstrdup(value ? value : "");
	char *rest = copy, *word;
	struct error *err = NULL;
	bool has_limit = false;

	options->graph.style = is_on ? OPTION_GRAPH_TREE : OPTION_GRAPH_NONE;
	options->graph.is_requested = is_on;
	while (!err && (word = strsep(&rest, ","))) {
		if (!*word || parse_graph_name(options, word))
			continue;
		if (string_is(word, "branch"))
			return error_usage(
				"--call-graph: branches are not part of call "
				"chains; use -b to count branches");
		if (strspn(word, "0123456789.%") != strlen(word))
			return error_usage(
				"--call-graph: unknown word '%s'; use graph, "
				"fractal, flat, folded or none, caller or "
				"callee, function, address or srcline, "
				"percent, period or count, and numbers",
				word);
		/*
		 * The first number is the smallest branch in percent, the
		 * second number is the maximum of branches per node.
		 */
		err = has_limit ? cli_number(word, "--call-graph", 0,
					  UINT32_MAX, &options->graph.entries)
				: options_read_percent("--call-graph", word,
					  &options->graph.limit);
		has_limit = true;
	}
	return err;
}

/* --- the command line -------------------------------------------------- */

struct error *options_parse(
	const struct cli *cli, int argc, char **argv, struct options *options)
{
	return options_parse_words(
		cli, argc, argv, options, &options->input.inputs);
}

struct error *options_parse_words(const struct cli *cli, int argc, char **argv,
	struct options *options, struct filter_names *words)
{
	struct error *err;

	options->output.view = "stdio";
	options->graph.limit = TREE_LIMIT;
	options->count.quantum_ns = QUANTUM_NS;
	options->names.has_inlines = true;
	options->names.has_guesses = true;
	options->stacks.groups_cut_stacks = true;
	options->script.max_stack = UINT64_MAX;
	script_choice_init(&options->script.choice);
	options->output.has_colour =
		isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	err = options_words(cli, argc, argv, options, words);
	options->facts.shows_header |=
		options->facts.only_header || options->facts.shows_info;
	if (!err && options->time.least_ns && !options->time.counted)
		err = error_usage("--min-block requires --off-cpu or --wall");
	output_limit_begin(options->output.max_output);
	return err;
}
