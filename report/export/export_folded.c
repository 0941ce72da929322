/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks for flame graph tools: one line "comm;main;leaf 42" per stack,
 * callers first. The number is samples, or nanoseconds if time is counted.
 * Lines are sorted and unique. At the limit of memory, the lines so far are
 * written and dropped; the tools add the numbers of equal lines.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/export/folded.h"

struct folded_line {
	size_t at, size; /* in .texts; the text ends in 0 */
	uint64_t weight;
};

/* With its slot in the index, a quarter of which is empty. */
#define LINE_COST \
	(2 * sizeof(struct folded_line) + 4 * sizeof(struct hash_slot))

struct folded_export {
	struct counted counted;
	struct outflow out;
	uint64_t cost; /* bytes of memory reserved of the result */
	ARRAY(struct folded_line) lines;
	struct strbuf texts; /* of .lines */
	struct hash_index by_text;
	struct folded folded;
	struct strbuf text;  /* buffer of a line */
	ARRAY(char *) comms; /* by context, escaped; owned */
};

static int compare_folded_lines(const void *a, const void *b, void *texts)
{
	const struct folded_line *left = a, *right = b;
	const char *at = texts;

	return strcmp(at + left->at, at + right->at);
}

/* Writes and drops all lines. */
static void write_folded_lines(struct folded_export *export)
{
	struct outflow *out = &export->out;

	if (export->lines.n)
		qsort_r(export->lines.at, export->lines.n,
			sizeof(struct folded_line), compare_folded_lines,
			export->texts.at);
	array_each(&export->lines, line) {
		outflow_put(out, export->texts.at + line->at, line->size);
		strbuf_printf(&out->text, " %" PRIu64 "\n", line->weight);
		outflow_some(out);
	}
	array_free(&export->lines);
	strbuf_free(&export->texts);
	hash_free(&export->by_text);
	result_release(&export->counted.result, export->cost);
	export->cost = 0;
}

static bool is_folded_line(const struct folded_export *export, uint32_t number,
	const struct strbuf *text)
{
	const struct folded_line *line = &export->lines.at[number];

	return line->size == text->n &&
		memcmp(export->texts.at + line->at, text->at, text->n) == 0;
}

static void add_folded_line(struct folded_export *export,
	const struct strbuf *text, uint64_t weight)
{
	uint64_t hash = hash_bytes(text->at, text->n);
	uint64_t cost = 2 * text->n + LINE_COST;

	hash_each_match(&export->by_text, hash, i) {
		if (!is_folded_line(export, i, text))
			continue;
		export->lines.at[i].weight += weight;
		return;
	}
	if (!result_reserve(&export->counted.result, cost)) {
		write_folded_lines(export);
		cost = 0;
	}
	export->cost += cost;
	hash_insert(&export->by_text, hash, (uint32_t) export->lines.n);
	*array_push(&export->lines) =
		(struct folded_line){ export->texts.n, text->n, weight };
	strbuf_put(&export->texts, text->at, text->n + 1);
}

/* Returns the command of STACK, which is kept per context. */
static const char *folded_comm(
	struct folded_export *export, const struct counted_stack *stack)
{
	size_t number = (size_t)(stack->context -
		export->counted.result.scan.stacks.contexts.at);
	_cleanup_strbuf_ struct strbuf comm = { 0 }, text = { 0 };

	while (export->comms.n <= number)
		array_push(&export->comms);
	if (!export->comms.at[number]) {
		counted_put_comm(&export->counted, stack, &comm);
		folded_put_name(comm.at, &text);
		strbuf_putc(&text, ';');
		export->comms.at[number] = take_pointer(text.at);
	}
	return export->comms.at[number];
}

static void add_folded_stack(void *data, const struct counted_stack *stack)
{
	struct folded_export *export = data;
	const struct result *result = &export->counted.result;
	struct strbuf *text = &export->text;

	strbuf_clear(text);
	if (!chain_is_empty(&stack->chain))
		strbuf_puts(text, folded_comm(export, stack));
	folded_put_stack(&export->folded, stack->chain, text);
	folded_put_state(counted_state(&export->counted, stack), text);
	add_folded_line(export, text,
		result->options->time ? stack->period : stack->samples);
}

/* A line has one number, which adds different events. */
static void report_added_events(const struct counted *counted)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };
	size_t i;

	if (counted->events.n < 2 || counted->options.time)
		return;
	for (i = 0; i < counted->events.n; i++) {
		strbuf_puts(&names, i ? ", " : "");
		strbuf_puts(&names, counted_event(counted, i)->name);
	}
	log_note("the samples of %zu events are added: %s. To use one event: "
		 "-e NAME",
		counted->events.n, names.at);
}

static struct error *run_folded_export(const struct options *options, int fd)
{
	struct folded_export export = { .out = outflow_begin(
						options->output, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){
			.keys = "comm", .shows_callers = true },
		&export.counted);

	if (!err) {
		export.folded.resolver = export.counted.result.resolver;
		report_added_events(&export.counted);
		counted_each(&export.counted, &export.out, add_folded_stack,
			&export);
		write_folded_lines(&export);
	}
	err = outflow_end(&export.out, err);
	array_each(&export.comms, comm)
		free(*comm);
	array_free(&export.comms);
	strbuf_free(&export.text);
	folded_deinit(&export.folded);
	counted_deinit(&export.counted);
	return err;
}

const struct export export_folded = { "folded", false, run_folded_export };
