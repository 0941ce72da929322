/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options_shared.h"

/* The words of -g, in perf's order. A prefix selects the first match. */
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
	{ "function", WORD_KEY, BRANCH_FUNCTION },
	{ "address", WORD_KEY, BRANCH_ADDRESS },
	{ "srcline", WORD_KEY, BRANCH_LINE },
	{ "percent", WORD_VALUE, GRAPH_PERCENT },
	{ "period", WORD_VALUE, GRAPH_PERIOD },
	{ "count", WORD_VALUE, GRAPH_COUNT },
};

static bool parse_graph_name(struct options *options, const char *name)
{
	const struct graph_word *word = graph_words;

	while (strncmp(word->word, name, strlen(name)))
		if (++word == graph_words + ARRAY_SIZE(graph_words))
			return false;
	switch (word->kind) {
	case WORD_STYLE: options->graph.style = word->value; break;
	case WORD_ORDER: options->callers_first = word->value; break;
	case WORD_KEY: options->graph.key = word->value; break;
	case WORD_VALUE: options->graph.value = word->value; break;
	}
	return true;
}

/* The first number is the limit in percent, the second the limit of entries. */
static struct error *parse_graph_number(
	struct options *options, const char *number, bool *has_limit)
{
	if (*has_limit)
		return cli_number(number, "--call-graph", 0, UINT32_MAX,
			&options->graph.entries);
	*has_limit = true;
	return options_read_percent(
		"--call-graph", number, &options->graph.limit);
}

CLI_PARSER(options_parse_graph)
{
	struct options *options = slot;
	_cleanup_free_ char *copy = xstrdup(value ? value : "");
	char *rest = copy, *word;
	struct error *err = NULL;
	bool has_limit = false;

	options->graph.style = is_on ? GRAPH_TREE : GRAPH_NONE;
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
		err = parse_graph_number(options, word, &has_limit);
	}
	return err;
}
