/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options_shared.h"
#include "report/rows/fields.h"
#include "report/util/times.h"

#define KEYS "dso,sym"
/* Threads leave their CPUs in one function of the kernel, nearly all. */
#define TIME_KEYS "state,comm,dso,sym"
#define WEIGHT_MAX 1000000u

/* A row's own numbers aren't what it is told apart by. */
static struct error *check_keys(const char *names)
{
	_cleanup_free_ char *copy = xstrdup(names);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = field_next_name(&rest))) {
		const struct field *field = field_find(word);

		if (field && field->kind != FIELD_KEY)
			return error_usage("--sort: '%s' is a number of a "
					   "row, and rows are told apart by "
					   "keys such as dso, sym or comm",
				word);
		n++;
	}
	return n ? NULL
		 : error_usage("--sort: it names no key; name some such as "
			       "dso, sym or comm");
}

static struct error *take_sort(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	struct error *err = options_check_fields("--sort", value);

	(void)is_on;
	free(options->diff.sort);
	options->diff.sort = *value == '+'
		? xasprintf(KEYS ",%s", value + 1)
		: xstrdup(value);
	options->sort = options->diff.sort;
	return err ? err : check_keys(options->sort);
}

/* "2,3" */
static struct error *take_weights(const char *text, uint64_t weights[2])
{
	const char *comma = strchr(text, ',');
	_cleanup_free_ char *first = NULL;
	struct error *err;

	if (!comma)
		return error_usage("--compute: wdiff:%s lacks a weight; give "
				   "wdiff:2,3, the baseline's first",
			text);
	first = xstrndup(text, (size_t)(comma - text));
	err = cli_number(first, "--compute wdiff", 1, WEIGHT_MAX, &weights[0]);
	return err ? err
		   : cli_number(comma + 1, "--compute wdiff", 1, WEIGHT_MAX,
			     &weights[1]);
}

static struct error *take_compute(void *context, const char *value, bool is_on)
{
	struct diff_style *style = &((struct options *)context)->diff;

	(void)is_on;
	style->weights[0] = style->weights[1] = 1;
	if (diff_compute_find(value, &style->compute))
		return NULL;
	if (!strncmp(value, "wdiff:", strlen("wdiff:"))) {
		style->compute = DIFF_WDIFF;
		return take_weights(value + strlen("wdiff:"), style->weights);
	}
	if (string_is(value, "cycles"))
		return error_usage("--compute: dwell doesn't compare cycles "
				   "of blocks; dwell annotate shows them");
	return error_usage("--compute: '%s' is none of delta-abs, delta, "
			   "ratio and wdiff:W1,W2",
		value);
}

static struct error *take_normalize(
	void *context, const char *value, bool is_on)
{
	struct diff_style *style = &((struct options *)context)->diff;

	style->is_normalized = is_on;
	if (!is_on)
		return NULL;
	style->measure = string_is(value, "time") ? DIFF_RATE : DIFF_SHARE;
	if (style->measure == DIFF_RATE || string_is(value, "total"))
		return NULL;
	return error_usage("--normalize: '%s' is neither total nor time",
		value);
}

static struct error *take_order(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	struct error *err = cli_number(
		value, "--order", 0, UINT32_MAX, &options->diff.order);

	(void)is_on;
	return err && !strchr("-0123456789", *value)
		? error_hint(err, "the file of --html is --output's")
		: err;
}

/* "A:B", or one part for all. Read again when recordings' lengths are known. */
static struct error *take_times(void *context, const char *value, bool is_on)
{
	const struct time_range any = { 0, UINT32_MAX };
	struct name_list *list = &((struct options *)context)->diff.times;
	_cleanup_free_ char *copy = xstrdup(is_on ? value : "");
	char *rest = copy, *word;
	struct error *err = NULL;

	filter_names_deinit(list);
	while (!err && is_on && (word = strsep(&rest, ":"))) {
		struct time_ranges times = { 0 };

		err = times_parse(word, &any, &times);
		times_deinit(&times);
		*array_push(&list->names) = xstrdup(word);
	}
	return err;
}

static const struct cli_option diff_options[] = {
	TUI_OPTION,
	{ 0, "stdio", CLI_NONE, NULL, "a table of text (default elsewhere)",
		options_take_stdio },
	TABLE_OPTIONS("dwell-diff(1)"),
	{ 0, "html", CLI_NONE, NULL,
		"a page for a browser: a flame graph coloured by what changed",
		options_take_html },
	PAGE_OPTIONS(0),
	{ 'c', "compute", CLI_VALUE, "HOW",
		"delta-abs, delta, ratio, or wdiff:W1,W2, the baseline's "
		"weight first (delta-abs)",
		take_compute },
	{ 0, "normalize", CLI_VALUE, "BY",
		"total: compare shares; time: compare rates, which are "
		"periods in a second (deltas are of shares, ratio and wdiff "
		"of periods as they are)",
		take_normalize },
	{ 's', "sort", CLI_VALUE, "KEY,...",
		"tell rows apart by these keys, as those of dwell report; "
		"+KEY adds one (" KEYS ")",
		take_sort },
	{ 'o', "order", CLI_VALUE, "N",
		"sort by the change of recording N; 0: by the baseline (1)",
		take_order },
	{ 'b', "baseline-only", CLI_NONE, NULL,
		"only rows that the baseline and another recording have",
		.slot = offsetof(struct options, diff.baseline_only) },
	{ 'p', "period", CLI_NONE, NULL, "columns of periods",
		.slot = offsetof(struct options, diff.shows_period) },
	{ 'F', "formula", CLI_NONE, NULL, "a column of how it was computed",
		.slot = offsetof(struct options, diff.shows_formula) },
	{ 'n', "show-nr-samples", CLI_NONE, NULL, "columns of sample counts",
		.slot = offsetof(struct options, shows_samples) },
	{ 0, "percentage", CLI_VALUE, "OF",
		"relative: shares of what passes the filters; absolute: of "
		"all (absolute)",
		options_take_percentage },
	{ 't', "field-separator", CLI_VALUE, "SEPARATOR",
		"between columns, without blanks", options_take_separator },
	TIME_OPTIONS,
	FULL_PATH_OPTION,
	PLACE_OPTIONS,
	DEMANGLE_OPTION,
	FILTER_OPTIONS_BY('C', 0, CLI_VALUE,
		"only samples in these programs and libraries"),
	{ 0, "time", CLI_VALUE, "PART",
		"only this time, as of dwell report; with colons one part for "
		"each recording",
		take_times },
	CLI_LOG_OPTIONS,
};

static const struct cli_foreign foreign[] = {
	FOREIGN_FORCE,
	{ 'D', "dump-raw-trace", "dwell script -D prints every record" },
	{ 'm', "modules", "modules have symbols anyway" },
	{ 0, "cycles-hist", "dwell annotate shows cycles of blocks" },
	{ 0, "stream", "dwell export --format html shows call chains" },
};

static struct error *check_page(const struct options *options)
{
	if (!string_is(options->view, "html")) {
		if (options->output || options->is_forced)
			return error_usage("%s goes with --html",
				options->output ? "--output" : "--force");
		return NULL;
	}
	if (options->is_relative)
		return error_usage("--percentage: the page's shares are of "
				   "all samples");
	return NULL;
}

struct error *options_diff(int argc, char **argv, struct options *options)
{
	static const struct cli cli = {
		"dwell diff [options] [BASELINE] [FILE...]",
		"Shows what changed from one recording to others, and what of "
		"it may be chance.",
		diff_options, ARRAY_SIZE(diff_options), false,
		foreign, ARRAY_SIZE(foreign),
	};
	struct diff_style *style = &options->diff;
	struct error *err;

	options->sort = KEYS;
	options->children = CHOICE_OFF;
	options->branches = CHOICE_OFF;
	options->groups = CHOICE_OFF;
	options->graph.style = GRAPH_NONE;
	style->order = 1;
	style->weights[0] = style->weights[1] = 1;
	err = options_parse(&cli, argc, argv, options);
	diff_style_settle(style);
	if (options->time && !style->sort)
		options->sort = TIME_KEYS;
	return err ? err : check_page(options);
}
