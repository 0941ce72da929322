/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks for flame graph tools: one line "name;main;leaf 42" per stack,
 * callers first, where name is a process or thread (--group-by). The number is
 * samples, or nanoseconds if time is counted. Lines are sorted and unique. At
 * the limit of memory, the lines so far are written and freed; flame graph
 * tools add the numbers of equal lines.
 *
 * Also stacks as comma-separated values, one line for each counted stack.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>

#include "common/util/alloc.h"
#include "common/util/array.h"
#include "common/util/budget.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/resolve/function_numbers.h"
#include "report/resolve/resolve.h"
#include "report/rows/hist.h"
#include "report/survey/offcpu_time.h"

/* --- periods ------------------------------------------------------------- */

/*
 * How much the periods of samples differ, for formats that count samples. If
 * periods differ, shares of samples are not shares of the event.
 */

#define IGNORED_PERCENT 1u

struct stack_period {
	uint32_t column; /* of the event */
	uint64_t mean;	 /* period of a sample */
	uint64_t samples;
};

struct stack_periods {
	const struct counted *counted;
	ARRAY(struct stack_period) at;
};

static int compare_periods(const void *a, const void *b)
{
	const struct stack_period *left = a, *right = b;

	if (left->column != right->column)
		return COMPARE(left->column, right->column);
	return COMPARE(left->mean, right->mean);
}

static void add_stack_period(void *data, const struct counted_stack *stack)
{
	struct stack_periods *periods = data;

	if (stack->samples)
		*array_push(&periods->at) = (struct stack_period){
			counted_column(periods->counted, stack),
			stack->period / stack->samples, stack->samples
		};
}

/*
 * Returns the mean of the first of the N elements at PERIODS with which their
 * samples are more than SKIPPED.
 */
static uint64_t period_after(
	const struct stack_period *periods, size_t n, uint64_t skipped)
{
	uint64_t samples = 0;
	size_t i = 0;

	while (i + 1 < n && (samples += periods[i].samples) <= skipped)
		i++;
	return periods[i].mean;
}

/* PERIODS are the N elements of one event, sorted. */
static bool do_periods_differ(const struct stack_period *periods, size_t n)
{
	uint64_t all = 0, ignored;
	size_t i;

	for (i = 0; i < n; i++)
		all += periods[i].samples;
	ignored = all / 100 * IGNORED_PERCENT;
	return period_after(periods, n, all - ignored - 1) / 2 >
		period_after(periods, n, ignored);
}

/*
 * Returns whether, for an event of COUNTED, the periods of its stacks differ by
 * more than a factor of 2. The period of a stack is the mean of its samples. The
 * 1 % of the samples with the smallest periods and the 1 % with the largest ones
 * are ignored, because the kernel begins with a period of 1 (-F).
 */
static bool period_spread_is_large(const struct counted *counted)
{
	struct stack_periods periods = { .counted = counted };
	bool is_large = false;
	size_t i, next;

	counted_look(counted, add_stack_period, &periods);
	array_sort(&periods.at, compare_periods);
	for (i = 0; i < periods.at.n && !is_large; i = next) {
		next = i + 1;
		while (next < periods.at.n &&
			periods.at.at[next].column == periods.at.at[i].column)
			next++;
		is_large = do_periods_differ(&periods.at.at[i], next - i);
	}
	array_free(&periods.at);
	return is_large;
}

/* --- a stack as text ----------------------------------------------------- */

/*
 * Limit of the frame names that are kept, in bytes; only hostile recordings
 * have more.
 */
#define KEPT_NAMES_MAX MIB(4)

/*
 * Formats stacks as "main;work;leaf", callers first, and keeps the frame names
 * up to KEPT_NAMES_MAX bytes. Control characters in names are escaped.
 */
struct folded {
	struct resolver *resolver; /* borrowed */
	struct strbuf names;
	ARRAY(struct folded_name {
		/* the place of the name in .names; .size 0: not stored */
		size_t at, size;
	})
	by_location;
};

/*
 * Appends NAME, escaped. Semicolons separate frames, so a semicolon in NAME
 * becomes a colon.
 */
static void folded_put_name(const char *name, struct strbuf *out)
{
	size_t at = out->n;

	escape_text(out, name);
	for (; at < out->n; at++)
		if (out->at[at] == ';')
			out->at[at] = ':';
}

static void put_folded_location(
	struct folded *folded, uint32_t number, struct strbuf *out)
{
	struct folded_name *name;
	size_t before = out->n;

	while (folded->by_location.n <= number)
		array_push(&folded->by_location);
	name = &folded->by_location.at[number];
	if (name->size) {
		strbuf_put(out, folded->names.at + name->at, name->size);
		return;
	}
	const struct location *at = resolver_location(folded->resolver, number);
	_cleanup_strbuf_ struct strbuf dso = { 0 };
	if (!at->symbol)
		function_numbers_put_unknown(
			resolver_dso_name(folded->resolver, at->dso_name),
			&dso);
	folded_put_name(at->symbol
			? resolver_symbol_name(folded->resolver, number)
			: dso.at,
		out);
	if (at->symbol)
		folded_put_name(resolver_build_mark(folded->resolver, at), out);
	if (folded->names.n + (out->n - before) > KEPT_NAMES_MAX)
		return;
	*name = (struct folded_name){ folded->names.n, out->n - before };
	strbuf_put(&folded->names, out->at + before, name->size);
}

/*
 * Appends the frames of CHAIN, which has the sampled location first, to OUT, or
 * "[others]" if CHAIN is empty.
 */
static void folded_put_stack(
	struct folded *folded, struct chain chain, struct strbuf *out)
{
	if (chain_is_empty(&chain)) {
		strbuf_puts(out, HIST_REST);
		return;
	}
	put_folded_location(folded, chain_last(&chain), out);
	while (!chain_is_empty(&chain)) {
		strbuf_putc(out, ';');
		put_folded_location(folded, chain_last(&chain), out);
	}
}

/* Appends the state of a thread that was not running, as a further frame. */
static void folded_put_state(enum offcpu_state state, struct strbuf *out)
{
	if (state != OFFCPU_STATE_ON)
		strbuf_printf(out, ";[%s]", offcpu_state_name(state));
}

static void folded_deinit(struct folded *folded)
{
	strbuf_free(&folded->names);
	array_free(&folded->by_location);
}

/* --- folded stacks ------------------------------------------------------- */

struct folded_line {
	size_t at, size; /* text in .texts, which ends in 0 */
	uint64_t weight;
};

/* Bytes of a line and its slot in .by_text; a quarter of the index is empty. */
#define LINE_COST \
	(2 * sizeof(struct folded_line) + 4 * sizeof(struct hash_slot))

struct folded_export {
	struct counted counted;
	struct outflow out;
	uint64_t cost; /* bytes reserved from the budget */
	ARRAY(struct folded_line) lines;
	struct strbuf texts; /* texts of .lines */
	struct hash_index by_text;
	struct folded folded;
	struct strbuf text;   /* buffer of a line */
	ARRAY(char *) groups; /* for each context: see folded_group(); owned */
};

static int compare_folded_lines(const void *a, const void *b, void *texts)
{
	const struct folded_line *left = a, *right = b;
	const char *at = texts;

	return strcmp(at + left->at, at + right->at);
}

/* Writes all collected lines, sorted, and frees them. */
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
	budget_release(export->counted.result.scan.budget, export->cost);
	export->cost = 0;
}

/*
 * Returns the process or thread of STACK, escaped and with a semicolon at the
 * end, or an empty text without a first frame of --group-by. The text is kept
 * once per context.
 */
static const char *folded_group(
	struct folded_export *export, const struct counted_stack *stack)
{
	size_t number = (size_t)(stack->context -
		export->counted.result.scan.stacks.contexts.at);
	_cleanup_strbuf_ struct strbuf name = { 0 }, text = { 0 };

	while (export->groups.n <= number)
		array_push(&export->groups);
	if (!export->groups.at[number]) {
		strbuf_puts(&name, "");
		strbuf_puts(&text, "");
		if (counted_put_group(&export->counted, stack, &name)) {
			folded_put_name(name.at, &text);
			strbuf_putc(&text, ';');
		}
		export->groups.at[number] = take_pointer(text.at);
	}
	return export->groups.at[number];
}

static void add_folded_stack(void *data, const struct counted_stack *stack)
{
	struct folded_export *export = data;
	const struct result *result = &export->counted.result;
	struct strbuf *text = &export->text;

	strbuf_clear(text);
	if (!chain_is_empty(&stack->chain))
		strbuf_puts(text, folded_group(export, stack));
	folded_put_stack(&export->folded, stack->chain, text);
	folded_put_state(counted_state(&export->counted, stack), text);
	uint64_t weight =
		result->options->time.counted ? stack->period : stack->samples;
	uint64_t hash = hash_bytes(text->at, text->n);
	uint64_t cost = 2 * text->n + LINE_COST;
	hash_each_match(&export->by_text, hash, i) {
		const struct folded_line *line = &export->lines.at[i];
		if (line->size != text->n ||
			memcmp(export->texts.at + line->at, text->at,
				text->n) != 0)
			continue;
		export->lines.at[i].weight += weight;
		return;
	}
	if (!budget_reserve(export->counted.result.scan.budget, cost)) {
		write_folded_lines(export);
		cost = 0;
	}
	export->cost += cost;
	hash_insert(&export->by_text, hash, (uint32_t) export->lines.n);
	*array_push(&export->lines) =
		(struct folded_line){ export->texts.n, text->n, weight };
	strbuf_put(&export->texts, text->at, text->n + 1);
}

static struct error *run_folded_export(const struct options *options, int fd)
{
	struct folded_export export = { .out = outflow_begin(
						options->output.file, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){ .shows_callers = true },
		&export.counted);

	if (!err) {
		export.folded.resolver = export.counted.result.resolver;
		/*
		 * Print a note if samples of several events are added, because
		 * a folded line has only one number.
		 */
		_cleanup_strbuf_ struct strbuf names = { 0 };
		size_t i;
		if (export.counted.events.n >= 2 &&
			!export.counted.options.time.counted) {
			for (i = 0; i < export.counted.events.n; i++) {
				strbuf_puts(&names, i ? ", " : "");
				strbuf_puts(&names,
					counted_event(&export.counted, i)
						->name);
			}
			log_note(
				"the samples of %zu events are added: %s. To use one event: "
				"-e NAME",
				export.counted.events.n, names.at);
		}
		/*
		 * Print a note if the numbers of samples can have other shares
		 * than the periods, which a report adds.
		 */
		if (!export.counted.options.time.counted &&
			period_spread_is_large(&export.counted))
			log_note(
				"the numbers are samples, whose periods differ by more "
				"than a factor of 2: shares are not those of dwell "
				"report. For stacks with their periods: --format csv, "
				"json or pprof");
		counted_each(&export.counted, &export.out, add_folded_stack,
			&export);
		write_folded_lines(&export);
	}
	err = outflow_end(&export.out, err);
	array_each(&export.groups, group)
		free(*group);
	array_free(&export.groups);
	strbuf_free(&export.text);
	folded_deinit(&export.folded);
	counted_deinit(&export.counted);
	return err;
}

const struct export export_folded = { "folded", false, run_folded_export };

/* --- comma-separated values ---------------------------------------------- */

struct csv {
	struct counted counted;
	struct outflow out;
	struct folded folded;
};

static void put_csv_stack(void *data, const struct counted_stack *stack)
{
	struct csv *to = data;
	const struct result *result = &to->counted.result;
	const struct thread_ids *ids = &stack->context->ids;
	struct strbuf *text = &to->out.text;
	_cleanup_strbuf_ struct strbuf comm = { 0 };
	_cleanup_strbuf_ struct strbuf frames = { 0 };

	counted_put_comm(&to->counted, stack, &comm);
	folded_put_stack(&to->folded, stack->chain, &frames);
	folded_put_state(counted_state(&to->counted, stack), &frames);
	escape_csv(text, result->inputs.events.at[stack->context->event].name);
	strbuf_putc(text, ',');
	escape_csv(text, comm.at);
	strbuf_putc(text, ',');
	thread_ids_put(ids->pid, ids->pid_use, text);
	strbuf_putc(text, ',');
	thread_ids_put(ids->tid, ids->tid_use, text);
	strbuf_printf(text, ",%" PRIu64 ",%" PRIu64 ",", stack->samples,
		stack->period);
	escape_csv(text, frames.at);
	strbuf_putc(text, '\n');
}

static struct error *run_csv_export(const struct options *options, int fd)
{
	struct csv to = { .out = outflow_begin(options->output.file, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){
			.keys = "comm,pid,tid", .has_order = true },
		&to.counted);

	if (!err) {
		to.folded.resolver = to.counted.result.resolver;
		strbuf_puts(&to.out.text,
			"event,comm,pid,tid,samples,period,stack\n");
		counted_each(&to.counted, &to.out, put_csv_stack, &to);
	}
	err = outflow_end(&to.out, err);
	folded_deinit(&to.folded);
	counted_deinit(&to.counted);
	return err;
}

const struct export export_csv = { "csv", false, run_csv_export };
