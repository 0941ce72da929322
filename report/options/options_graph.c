/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/options/options_shared.h"

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
	{ "function", WORD_KEY, BRANCH_FUNCTION },
	{ "address", WORD_KEY, BRANCH_ADDRESS },
	{ "srcline", WORD_KEY, BRANCH_LINE },
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
	case WORD_KEY: options->graph.key = word->value; break;
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
	return options_take_percent("--call-graph", number, &options->graph.limit);
}

struct error *options_take_graph(void *context, const char *value, bool is_on)
{
	struct options *options = context;
	_cleanup_free_ char *copy = xstrdup(value ? value : "");
	char *rest = copy, *word;
	struct error *err = NULL;
	bool has_limit = false;

	options->graph.style = is_on ? GRAPH_TREE : GRAPH_NONE;
	options->graph.is_asked = is_on;
	while (!err && (word = strsep(&rest, ","))) {
		if (!*word || take_graph_name(options, word))
			continue;
		if (string_is(word, "branch"))
			return error_usage("--call-graph: dwell keeps branches "
					   "apart from callchains; -b counts "
					   "them");
		if (strspn(word, "0123456789.%") != strlen(word))
			return error_usage(
				"--call-graph: there is no '%s'; it takes "
				"graph, fractal, flat, folded or none, caller "
				"or callee, function, address or srcline, "
				"percent, period or count, and numbers",
				word);
		err = take_graph_number(options, word, &has_limit);
	}
	return err;
}
