/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/util/alloc.h"
#include "report/options/options_shared.h"

/*
 * Default limit of annotated functions: one or two screens. If there are more
 * functions, a message reports that.
 */
#define FUNCTIONS_DEFAULT 10u
#define FUNCTIONS_UNSET UINT64_MAX

static const struct {
	const char *name;
	struct style_shares shares;
} percent_types[] = {
	{ "local-period", { false, false } },
	{ "local-hits", { false, true } },
	{ "global-period", { true, false } },
	{ "global-hits", { true, true } },
};

static COMPLETER(complete_percent_type)
{
	completion_offer_names(completion, percent_types);
}

static CLI_PARSER(parse_percent_type)
{
	struct style_shares *shares = slot;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(percent_types); i++)
		if (string_is(percent_types[i].name, value)) {
			*shares = percent_types[i].shares;
			return NULL;
		}
	return error_usage(
		"--percent-type: unknown type '%s'; use local-period, "
		"local-hits, global-period or global-hits",
		value);
}

static const char *const syntaxes[] = { "att", "intel", NULL };

static const struct cli_option annotate_options[] = {
	INPUT_OPTION,
	TUI_OPTION,
	{ 0, "stdio", CLI_NONE, NULL,
		"print text (default if not on a terminal)", 0,
		options_parse_view },
	JSON_OPTION("dwell-annotate(1)"),
	{ 0, "html", CLI_NONE, NULL,
		"write an HTML page, like dwell export --format html", 0,
		options_parse_view },
	PAGE_OPTIONS('o'),
	{ 's', "symbol", CLI_VALUE, "NAME",
		"annotate the function NAME, like the argument FUNCTION",
		offsetof(struct options, code.functions), options_push_name },
	{ 0, "limit", CLI_VALUE, "N",
		"without FUNCTION: annotate the N hottest functions; 0: all "
		"(default: 10, in a page 50)",
		offsetof(struct options, code.max_functions), cli_parse_number,
		0, UINT32_MAX },
	{ 0, "percent-limit", CLI_VALUE, "PERCENT",
		"omit functions below this percentage of all samples",
		offsetof(struct options, rows.percent_limit),
		options_parse_percent },
	{ 0, "percent-type", CLI_VALUE, "TYPE",
		"percentages of the function (local) or of all (global), by "
		"periods or by samples: local-period, local-hits, "
		"global-period, global-hits (default: local-period)",
		offsetof(struct options, annotation.shares), parse_percent_type,
		.complete = complete_percent_type },
	{ 'n', "show-nr-samples", CLI_NONE, NULL,
		"print a column with the number of samples",
		.slot = offsetof(struct options, annotation.shows_samples) },
	{ 0, "show-total-period", CLI_NONE, NULL,
		"print a column with the sum of periods",
		.slot = offsetof(struct options, annotation.shows_period) },
	{ 0, "source", CLI_NONE, NULL,
		"print source lines between instructions (default)",
		.slot = offsetof(struct options, annotation.has_source) },
	{ 'l', "print-line", CLI_NONE, NULL,
		"print a list of the hottest source lines before the code",
		.slot = offsetof(struct options, annotation.has_summary) },
	{ 'P', "full-paths", CLI_NONE, NULL,
		"print the full paths of source files",
		.slot = offsetof(struct options, names.has_full_paths) },
	{ 0, "asm-raw", CLI_NONE, NULL, "also print the bytes of instructions",
		.slot = offsetof(struct options, annotation.has_bytes) },
	{ 'M', "disassembler-style", CLI_VALUE, "SYNTAX",
		"syntax of x86 instructions: att or intel (default: att)",
		offsetof(struct options, annotation.is_intel), cli_parse_either,
		.words = syntaxes },
	PLACE_OPTIONS,
	SOURCE_PATH_OPTION,
	DEMANGLE_OPTION,
	GUESS_OPTION,
	LANG_FRAMES_OPTION,
	FILTER_OPTIONS,
	CLI_LOG_OPTIONS,
};

void options_count_places(struct options *options)
{
	options->count.by_place = true;
	options->rows.sort = "sym";
	options->rows.fields = NULL;
	options->stacks.parent = options->stacks.ignored_callees = NULL;
	options->rows.children = OPTION_OFF;
	options->count.branches = OPTION_OFF;
	options->count.weighs_accesses = false;
	options->graph.style = OPTION_GRAPH_NONE;
	options->graph.key = BRANCH_FUNCTION;
	/* Changes of call stacks can name inlined functions. */
	options->names.has_inlines &= options->stacks.transforms.at.n > 0;
}

void options_count_functions(struct options *options)
{
	options->rows.sort = "dso,sym";
	options->stacks.inline_self = OPTION_OFF;
	options->rows.children = OPTION_OFF;
	options->count.branches = OPTION_OFF;
	options->graph.style = OPTION_GRAPH_NONE;
}

struct error *options_annotate(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell annotate [options] [FUNCTION...]",
		"Reports which instructions and source lines of a function "
		"used the time.",
		annotate_options,
		ARRAY_SIZE(annotate_options),
		false,
		"annotate",
	};
	struct error *err;

	options->code.max_functions = FUNCTIONS_UNSET;
	options->annotation.has_source = true;
	err = options_parse_words(
		&cli, argc, argv, options, &options->code.functions);
	if (string_is(options->output.view, "html")) {
		/*
		 * Set the options of the HTML page, which contains more than
		 * annotated code.
		 */
		if (options->code.max_functions == FUNCTIONS_UNSET)
			options->code.max_functions = OPTIONS_PAGE_FUNCTIONS;
		options->count.is_for_code = true;
		options->input.single = "dwell annotate --html";
		return err;
	}
	if (options->code.max_functions == FUNCTIONS_UNSET)
		options->code.max_functions = FUNCTIONS_DEFAULT;
	if (!err && (options->output.file || options->output.is_forced))
		err = error_usage("%s requires --html",
			options->output.file ? "-o" : "--force");
	return err;
}
