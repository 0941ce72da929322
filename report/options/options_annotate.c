/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"
#include "report/options/options_shared.h"

/* A screen or two; more are said to be there. */
#define FUNCTIONS_DEFAULT 10u
#define FUNCTIONS_NOT_ASKED UINT64_MAX

static struct error *take_function(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	if (is_on)
		*array_push(&options->functions.names) = xstrdup(value);
	else
		filter_names_deinit(&options->functions);
	return NULL;
}

static struct error *take_limit(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->max_functions = 0;
	return is_on ? cli_number(value, "--limit", 0, UINT32_MAX,
			       &options->max_functions)
		     : NULL;
}

static struct error *take_percent_limit(
	void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->percent_limit = 0;
	return is_on ? options_take_percent("--percent-limit", value,
			       &options->percent_limit)
		     : NULL;
}

static struct error *take_syntax(void *context, const char *value, bool is_on)
{
	struct options *options = context;

	options->annotation.is_intel = is_on && string_is(value, "intel");
	if (!is_on || options->annotation.is_intel || string_is(value, "att"))
		return NULL;
	return error_usage(
		"--disassembler-style: '%s' is neither att nor intel", value);
}

static struct error *take_percent_type(
	void *context, const char *value, bool is_on)
{
	static const struct {
		const char *name;
		struct annotation_shares shares;
	} types[] = {
		{ "local-period", { false, false } },
		{ "local-hits", { false, true } },
		{ "global-period", { true, false } },
		{ "global-hits", { true, true } },
	};
	struct options *options = context;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!is_on || string_is(types[i].name, value)) {
			options->annotation.shares = types[i].shares;
			return NULL;
		}
	return error_usage("--percent-type: there is no '%s'; there are "
			   "local-period, local-hits, global-period and "
			   "global-hits",
		value);
}

static const struct cli_option annotate_options[] = {
	INPUT_OPTION,
	TUI_OPTION,
	{ 0, "stdio", CLI_NONE, NULL, "text (default elsewhere)",
		options_take_stdio },
	JSON_OPTION("dwell-annotate(1)"),
	{ 0, "html", CLI_NONE, NULL,
		"a page for a browser, as dwell export writes it",
		options_take_html },
	PAGE_OPTIONS('o'),
	{ 's', "symbol", CLI_VALUE, "NAME",
		"this function, as if it stood at the end", take_function },
	{ 0, "limit", CLI_VALUE, "N",
		"without a name at most N functions, the hottest; 0: all (10, "
		"of a page 50)",
		take_limit },
	{ 0, "percent-limit", CLI_VALUE, "PERCENT",
		"no functions with less of all samples", take_percent_limit },
	{ 0, "percent-type", CLI_VALUE, "TYPE",
		"local-period, local-hits, global-period or global-hits: "
		"shares of the function's or of all, by periods or samples",
		take_percent_type },
	{ 'n', "show-nr-samples", CLI_NONE, NULL, "a column of sample counts",
		.slot = offsetof(struct options, annotation.shows_samples) },
	{ 0, "show-total-period", CLI_NONE, NULL, "a column of periods",
		.slot = offsetof(struct options, annotation.shows_period) },
	{ 0, "source", CLI_NONE, NULL,
		"source code between instructions (default)",
		.slot = offsetof(struct options, annotation.has_source) },
	{ 'l', "print-line", CLI_NONE, NULL,
		"first the lines of source code, the hottest on top",
		.slot = offsetof(struct options, annotation.has_summary) },
	{ 'P', "full-paths", CLI_NONE, NULL,
		"files of source code with their folders",
		.slot = offsetof(struct options, has_full_paths) },
	{ 0, "asm-raw", CLI_NONE, NULL, "the bytes of instructions, too",
		.slot = offsetof(struct options, annotation.has_bytes) },
	{ 'M', "disassembler-style", CLI_VALUE, "SYNTAX",
		"x86 instructions as att or intel write them (att)",
		take_syntax },
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	FILTER_OPTIONS,
	CLI_LOG_OPTIONS,
};

static const struct cli_foreign foreign[] = {
	FOREIGN_FORCE,
	{ 'D', "dump-raw-trace", "dwell script -D prints every record" },
	{ 'm', "modules", "the kernel's modules have their symbols anyway" },
	{ 0, "objdump", "dwell reads instructions itself" },
	{ 0, "skip-missing",
		"a function whose code isn't here is named, and the next one "
		"shown" },
	{ 0, "group", "each event has its own part" },
	{ 0, "stdio2", "--stdio has arrows, labels and names already" },
	{ 0, "stdio-color", "a terminal gets colours, unless NO_COLOR is set" },
	{ 0, "prefix", "--symfs has sources below it, too" },
	{ 0, "prefix-strip", "--symfs has sources below it, too" },
};

void options_count_places(struct options *options)
{
	options->by_place = true;
	options->sort = "sym";
	options->fields = NULL;
	options->parent = options->ignored_callees = NULL;
	options->children = CHOICE_OFF;
	options->branches = CHOICE_OFF;
	options->weighs_accesses = false;
	options->graph.style = GRAPH_NONE;
	options->graph.key = BRANCH_FUNCTION;
	options->has_inlines = false;
}

void options_count_functions(struct options *options)
{
	options->sort = "dso,sym";
	options->children = CHOICE_OFF;
	options->branches = CHOICE_OFF;
	options->graph.style = GRAPH_NONE;
}

/* The page has more to show than places. */
static void choose_page(struct options *options)
{
	if (options->max_functions == FUNCTIONS_NOT_ASKED)
		options->max_functions = OPTIONS_PAGE_FUNCTIONS;
	options->is_for_code = true;
	options->single = "dwell annotate --html";
}

struct error *options_annotate(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell annotate [options] [FUNCTION...]",
		"Shows which instructions and lines of a function are hot.",
		annotate_options, ARRAY_SIZE(annotate_options), false,
		foreign, ARRAY_SIZE(foreign),
	};
	struct error *err;

	options->max_functions = FUNCTIONS_NOT_ASKED;
	options->annotation.has_source = true;
	err = options_parse_words(&cli, argc, argv, options,
		&options->functions);
	if (string_is(options->view, "html")) {
		choose_page(options);
		return err;
	}
	if (options->max_functions == FUNCTIONS_NOT_ASKED)
		options->max_functions = FUNCTIONS_DEFAULT;
	if (!err && (options->output || options->is_forced))
		err = error_usage("%s goes with --html",
			options->output ? "-o" : "--force");
	return err;
}
