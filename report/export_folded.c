/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, as flame graph tools read them: "comm;main;leaf 42" a line,
 * callers first, the number being samples.
 */
#include "config.h"

#include <inttypes.h>

#include "common/alloc.h"
#include "common/escape.h"
#include "common/writer.h"
#include "report/export.h"
#include "report/result.h"

struct line {
	char *text; /* owned */
	uint64_t samples;
};

struct lines {
	ARRAY(struct line) lines;
	struct hash_index by_text;
};

static void add_line(struct lines *lines, const char *text, uint64_t samples)
{
	uint64_t hash = hash_string(text);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&lines->by_text, hash, &probe)) != HASH_NONE) {
		if (!string_is(lines->lines.at[i].text, text))
			continue;
		lines->lines.at[i].samples += samples;
		return;
	}
	hash_insert(&lines->by_text, hash, (uint32_t)lines->lines.n);
	*array_push(&lines->lines) = (struct line){ xstrdup(text), samples };
}

/* Semicolons part frames: one in a name becomes a colon. */
static void put_name(struct strbuf *out, const char *name)
{
	size_t at = out->n;

	escape_text(out, name);
	for (; at < out->n; at++)
		if (out->at[at] == ';')
			out->at[at] = ':';
}

static void put_location(
	struct strbuf *out, struct resolver *resolver, uint32_t number)
{
	const struct location *at = resolver_location(resolver, number);
	const char *dso = resolver_dso_name(resolver, at->dso_name);

	strbuf_putc(out, ';');
	if (at->symbol) {
		put_name(out, resolver_symbol_name(resolver, number));
	} else {
		strbuf_putc(out, '[');
		put_name(out, dso[0] == '[' ? dso + 1 : dso);
		if (dso[0] != '[')
			strbuf_putc(out, ']');
	}
}

static void add_stack(
	struct result *result, uint32_t number, struct lines *lines)
{
	const struct stacks *stacks = &result->scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	const struct context *context = &stacks->contexts.at[stack->context];
	struct chain chain = stacks_chain(stacks, number);
	uint32_t sampled = chain_next(&chain);
	_cleanup_strbuf_ struct strbuf comm = { 0 };
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (context->is_filtered)
		return;
	if (context->is_rest) {
		add_line(lines, HIST_REST, stack->samples);
		return;
	}
	field_comm_text(&result->names,
		field_comm_value(&result->names, context, 0, NULL), &comm);
	put_name(&text, comm.at);
	if (chain_is_empty(&chain))
		put_location(&text, result->resolver, sampled);
	while (!chain_is_empty(&chain))
		put_location(&text, result->resolver, chain_last(&chain));
	add_line(lines, text.at, stack->samples);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	return strcmp(left->text, right->text);
}

static struct error *run(const struct options *options, int fd)
{
	struct options all = *options;
	struct lines lines = { 0 };
	struct strbuf out = { 0 };
	struct result result;
	struct error *err;
	int errnum = 0;
	uint32_t i;

	all.view = "stdio";
	err = result_make(&all, &result);
	if (!err) {
		for (i = 0; i < stacks_n(&result.scan.stacks); i++)
			add_stack(&result, i, &lines);
		array_sort(&lines.lines, compare_lines);
		array_each(&lines.lines, line)
			strbuf_printf(&out, "%s %" PRIu64 "\n", line->text,
				line->samples);
		struct sink sink = sink_of_file(&fd);

		errnum = sink.append(sink.data, out.at, out.n);
	}
	if (errnum)
		err = error_errno(errnum, "writing the stacks");
	array_each(&lines.lines, line)
		free(line->text);
	array_free(&lines.lines);
	hash_free(&lines.by_text);
	strbuf_free(&out);
	result_deinit(&result);
	return err;
}

const struct export export_folded = {
	"folded", false, run
};
