/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/view/graph_json.h"

#include <inttypes.h>

#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/view/graph.h"

static void put_node(const struct result *result, const struct tree_node *node,
	struct strbuf *out)
{
	struct resolver *resolver = result->resolver;
	const struct location *at = resolver_location(resolver, node->location);
	_cleanup_strbuf_ struct strbuf symbol = { 0 };

	bool has_line = result->options->graph.key != BRANCH_FUNCTION;
	_cleanup_strbuf_ struct strbuf line = { 0 };

	strbuf_printf(&symbol, "[%c] %s", at->level,
		resolver_function_name(resolver, node->location));
	if (at->symbol && result->options->graph.key == BRANCH_ADDRESS)
		strbuf_printf(&symbol, "+0x%" PRIx64, at->place);
	strbuf_puts(&symbol, at->is_inlined ? " (inlined)" : "");
	strbuf_puts(out, "{\"sym\": ");
	escape_json(out, symbol.at);
	strbuf_puts(out, ", \"dso\": ");
	escape_json(out, resolver_dso_name(resolver, at->dso_name));
	if (has_line) {
		resolver_put_line(
			resolver, node->location, LINE_BY_SYMBOL, &line);
		strbuf_puts(out, ", \"srcline\": ");
		escape_json(out, line.at);
	}
	strbuf_printf(out, ", \"period\": %" PRIu64 ", \"samples\": %" PRIu64,
		node->period, node->samples);
}

/* Without recursion: a file may hold any depth. */
static void put_tree(const struct result *result, const struct tree *tree,
	struct strbuf *out)
{
	const struct tree_node *nodes = tree->nodes.at;
	uint32_t i = nodes[0].child;

	strbuf_putc(out, '[');
	while (i != TREE_NONE && i != 0) {
		put_node(result, &nodes[i], out);
		if (nodes[i].child != TREE_NONE) {
			strbuf_puts(out, ", \"branches\": [");
			i = nodes[i].child;
			continue;
		}
		strbuf_putc(out, '}');
		while (i != 0 && nodes[i].sibling == TREE_NONE) {
			i = nodes[i].parent;
			strbuf_puts(out, i ? "]}" : "");
		}
		if (i != 0) {
			strbuf_puts(out, ", ");
			i = nodes[i].sibling;
		}
	}
	strbuf_putc(out, ']');
}

bool graph_json_put(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct tree tree;

	graph_tree(result, hist, row, &tree);
	strbuf_puts(&text, ", \"graph\": ");
	put_tree(result, &tree, &text);
	tree_deinit(&tree);
	if (!reader_affords(result->scan.reader, text.n)) {
		log_note("%s: its call graphs are too long for its size; those "
			 "behind the first ones are left out",
			reader_path(result->scan.reader));
		return false;
	}
	strbuf_put(out, text.at, text.n);
	return true;
}
