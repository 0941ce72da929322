/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, as flame graph tools read them: "comm;main;leaf 42" a line,
 * callers first, the number being samples. Lines are sorted, and none is there
 * twice, unless there are too many for the memory: then those so far are
 * written, and it begins anew. Those tools add up what is there twice.
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

/* With its place in the index, which is at least a quarter empty. */
#define LINE_COST (2 * sizeof(struct line) + 4 * sizeof(struct hash_slot))
#define WRITE_SIZE KIB(64)

struct lines {
	struct reader *reader; /* whose size bounds them */
	uint64_t cost;         /* of them, as the reader counts it */
	ARRAY(struct line) lines;
	struct hash_index by_text;
	struct sink sink;
	int errnum; /* of the sink */
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	return strcmp(left->text, right->text);
}

static void write_out(struct lines *lines, struct strbuf *out)
{
	if (!lines->errnum)
		lines->errnum = lines->sink.append(
			lines->sink.data, out->at, out->n);
	strbuf_clear(out);
}

/* Writes them all, and forgets them. */
static void write_lines(struct lines *lines)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	array_sort(&lines->lines, compare_lines);
	array_each(&lines->lines, line) {
		strbuf_printf(&out, "%s %" PRIu64 "\n", line->text,
			line->samples);
		if (out.n >= WRITE_SIZE)
			write_out(lines, &out);
		free(line->text);
	}
	write_out(lines, &out);
	array_free(&lines->lines);
	hash_free(&lines->by_text);
	reader_returns(lines->reader, lines->cost);
	lines->cost = 0;
}

static void add_line(struct lines *lines, const char *text, uint64_t samples)
{
	uint64_t hash = hash_string(text), cost = 2 * strlen(text) + LINE_COST;
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&lines->by_text, hash, &probe)) != HASH_NONE) {
		if (!string_is(lines->lines.at[i].text, text))
			continue;
		lines->lines.at[i].samples += samples;
		return;
	}
	if (!reader_affords(lines->reader, cost)) {
		write_lines(lines);
		cost = 0;
	}
	lines->cost += cost;
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

/* Rows aren't shown here, and their room is needed. */
static void drop_rows(struct result *result)
{
	array_each(&result->hists, hist)
		hist_deinit(hist);
	array_free(&result->hists);
}

static struct error *run(const struct options *options, int fd)
{
	struct options all = *options;
	struct lines lines = { .sink = sink_of_file(&fd) };
	struct result result;
	struct error *err;
	uint32_t i;

	all.view = "stdio";
	err = result_make(&all, &result);
	if (!err) {
		drop_rows(&result);
		lines.reader = result.scan.reader;
		for (i = 0; i < stacks_n(&result.scan.stacks); i++)
			add_stack(&result, i, &lines);
		write_lines(&lines);
	}
	if (lines.errnum)
		err = error_errno(lines.errnum, "writing the stacks");
	result_deinit(&result);
	return err;
}

const struct export export_folded = {
	"folded", false, run
};
