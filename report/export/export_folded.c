/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, as flame graph tools read them: "comm;main;leaf 42" a line,
 * callers first, the number being samples, or ns where time is counted. Lines
 * are sorted, and none is there twice, unless there are too many for the memory:
 * then those so far are written, and it begins anew. Those tools add up what is
 * there twice.
 */
#include "config.h"

#include <inttypes.h>

#include "common/util/log.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/export/folded.h"

struct line {
	size_t at, size; /* of its text, which ends in 0 */
	uint64_t weight;
};

/* With its place in the index, which is at least a quarter empty. */
#define LINE_COST (2 * sizeof(struct line) + 4 * sizeof(struct hash_slot))

struct lines {
	struct counted counted;
	struct outflow out;
	struct reader *reader; /* whose size bounds them */
	uint64_t cost;         /* of them, as the reader counts it */
	ARRAY(struct line) lines;
	struct strbuf texts;   /* theirs */
	struct hash_index by_text;
	struct folded folded;
	struct strbuf text;    /* the line that is being made */
	ARRAY(char *) comms;   /* by context, as they stand there; owned */
};

static int compare_lines(const void *a, const void *b, void *texts)
{
	const struct line *left = a, *right = b;
	const char *at = texts;

	return strcmp(at + left->at, at + right->at);
}

static size_t count_digits(uint64_t number)
{
	size_t n = 1;

	for (; number >= 10; number /= 10)
		n++;
	return n;
}

/* What they will be; as much for stacks that are still to come. */
static void tell_size(struct lines *lines)
{
	struct outflow *out = &lines->out;
	double share = out->total ? (double)out->done / (double)out->total : 0;
	uint64_t size = 0;

	if (outflow_is_heard(out))
		array_each(&lines->lines, line)
			size += line->size + strlen(" \n") +
				count_digits(line->weight);
	outflow_tell(out, share > 0 ? (uint64_t)((double)size / share) : 0);
}

/* Writes them all, and forgets them. */
static void write_lines(struct lines *lines)
{
	struct outflow *out = &lines->out;

	tell_size(lines);
	if (lines->lines.n)
		qsort_r(lines->lines.at, lines->lines.n, sizeof(struct line),
			compare_lines, lines->texts.at);
	array_each(&lines->lines, line) {
		outflow_put(out, lines->texts.at + line->at, line->size);
		strbuf_printf(&out->text, " %" PRIu64 "\n", line->weight);
		outflow_some(out);
	}
	array_free(&lines->lines);
	strbuf_free(&lines->texts);
	hash_free(&lines->by_text);
	reader_returns(lines->reader, lines->cost);
	lines->cost = 0;
}

static bool is_line(
	const struct lines *lines, uint32_t number, const struct strbuf *text)
{
	const struct line *line = &lines->lines.at[number];

	return line->size == text->n &&
		memcmp(lines->texts.at + line->at, text->at, text->n) == 0;
}

static void add_line(
	struct lines *lines, const struct strbuf *text, uint64_t weight)
{
	uint64_t hash = hash_bytes(text->at, text->n);
	uint64_t cost = 2 * text->n + LINE_COST;
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&lines->by_text, hash, &probe)) != HASH_NONE) {
		if (!is_line(lines, i, text))
			continue;
		lines->lines.at[i].weight += weight;
		return;
	}
	if (!reader_affords(lines->reader, cost)) {
		write_lines(lines);
		cost = 0;
	}
	lines->cost += cost;
	hash_insert(&lines->by_text, hash, (uint32_t)lines->lines.n);
	*array_push(&lines->lines) =
		(struct line){ lines->texts.n, text->n, weight };
	strbuf_put(&lines->texts, text->at, text->n + 1);
}

/* Many stacks have the same. */
static const char *comm_of(
	struct lines *lines, const struct counted_stack *stack)
{
	size_t number = (size_t)(stack->context -
		lines->counted.result.scan.stacks.contexts.at);
	_cleanup_strbuf_ struct strbuf comm = { 0 }, text = { 0 };

	while (lines->comms.n <= number)
		array_push(&lines->comms);
	if (!lines->comms.at[number]) {
		counted_put_comm(&lines->counted, stack, &comm);
		folded_put_name(comm.at, &text);
		strbuf_putc(&text, ';');
		lines->comms.at[number] = take_pointer(text.at);
	}
	return lines->comms.at[number];
}

static void add_stack(void *data, const struct counted_stack *stack)
{
	struct lines *lines = data;
	const struct result *result = &lines->counted.result;
	struct strbuf *text = &lines->text;

	strbuf_clear(text);
	if (!chain_is_empty(&stack->chain))
		strbuf_puts(text, comm_of(lines, stack));
	folded_put_stack(&lines->folded, stack->chain, text);
	folded_put_state(counted_state(&lines->counted, stack), text);
	add_line(lines, text,
		result->options->time ? stack->period : stack->samples);
}

/* A line has one number: those of different events aren't of one kind. */
static void tell_events(const struct counted *counted)
{
	_cleanup_strbuf_ struct strbuf names = { 0 };
	size_t i;

	if (counted->events.n < 2 || counted->options.time)
		return;
	for (i = 0; i < counted->events.n; i++) {
		strbuf_puts(&names, i ? ", " : "");
		strbuf_puts(&names, counted_event(counted, i)->name);
	}
	log_note("samples of %zu events are added up: %s; -e takes those of one",
		counted->events.n, names.at);
}

static struct error *run(const struct options *options, int fd)
{
	struct lines lines = { .out = outflow_begin(options->output, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_wish){ .keys = "comm", .shows_callers = true },
		&lines.counted);

	if (!err) {
		lines.reader = lines.counted.result.scan.reader;
		lines.folded.resolver = lines.counted.result.resolver;
		tell_events(&lines.counted);
		counted_each(&lines.counted, &lines.out, add_stack, &lines);
		write_lines(&lines);
	}
	err = outflow_end(&lines.out, err);
	array_each(&lines.comms, comm)
		free(*comm);
	array_free(&lines.comms);
	strbuf_free(&lines.text);
	folded_deinit(&lines.folded);
	counted_deinit(&lines.counted);
	return err;
}

const struct export export_folded = {
	"folded", false, run
};
