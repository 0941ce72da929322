/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callgrind's format, for callgrind_annotate and KCachegrind
 * (valgrind.org/docs/manual/cl-format.html): the cost of each source line and
 * of the calls at the line. A name is written with its number and text at its
 * first use, and later with the number only.
 */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>

#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/export/call_arcs.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"

#define NO_FILE "???"

struct callgrind {
	struct counted counted;
	struct outflow out;
	struct arcs arcs;
	struct string_table objects;
	/* costs of one stack, then totals of all stacks */
	ARRAY(uint64_t) costs;
	struct strbuf group; /* process or thread of one stack, a buffer */
	/*
	 * For each number of a function, file or object: whether its name was
	 * written.
	 */
	struct written_names {
		ARRAY(bool) is_named;
	} functions, files, objects_named;
};

/*
 * Appends "fn=(3) name" at the first use of NUMBER, and later "fn=(3)"; "fn" is
 * WHAT.
 */
static void put_numbered_name(struct callgrind *to,
	struct written_names *written, const char *what, uint32_t number,
	const char *name)
{
	struct strbuf *text = &to->out.text;

	while (written->is_named.n <= number)
		array_push(&written->is_named);
	strbuf_printf(text, "%s=(%" PRIu32 ")", what, number + 1);
	if (!written->is_named.at[number]) {
		strbuf_putc(text, ' ');
		escape_text(text, name);
		written->is_named.at[number] = true;
	}
	strbuf_putc(text, '\n');
}

/*
 * Appends the file. In .files, number 0 means that no file is known; the files
 * follow from 1.
 */
static void put_callgrind_file(
	struct callgrind *to, const char *what, uint32_t file)
{
	put_numbered_name(to, &to->files, what, file + 1,
		file == ARCS_NO_FILE ? NO_FILE
				     : string_table_at(&to->arcs.files, file));
}

struct callgrind_words {
	const char *object, *file, *function;
};
static const struct callgrind_words caller_words = { "ob", "fl", "fn" };
static const struct callgrind_words callee_words = { "cob", "cfi", "cfn" };

/*
 * Appends function NUMBER. Returns the index of its file in .arcs.files, or
 * ARCS_NO_FILE.
 */
static uint32_t put_callgrind_function(
	struct callgrind *to, const struct callgrind_words *as, uint32_t number)
{
	const struct numbered_function *function;
	uint32_t file;

	if (number == ARCS_SELF) {
		put_callgrind_file(to, as->file, ARCS_NO_FILE);
		put_numbered_name(
			to, &to->functions, as->function, 0, HIST_REST);
		return ARCS_NO_FILE;
	}
	function = function_numbers_at(&to->arcs.functions, number);
	file = arcs_file(&to->arcs, function->at.file);
	put_numbered_name(to, &to->objects_named, as->object,
		string_table_intern(&to->objects, function->dso),
		function->dso);
	put_callgrind_file(to, as->file, file);
	put_numbered_name(
		to, &to->functions, as->function, number + 1, function->name);
	return file;
}

static void put_cost_values(struct callgrind *to, const uint64_t *costs)
{
	size_t i;

	for (i = 0; i < to->arcs.n_costs; i++)
		strbuf_printf(&to->out.text, " %" PRIu64, costs[i]);
	strbuf_putc(&to->out.text, '\n');
}

static void put_call_arcs(struct callgrind *to)
{
	const struct arc *last = NULL;
	uint32_t own = ARCS_NO_FILE, file = ARCS_NO_FILE;

	to->out.total = to->arcs.at.n;
	to->out.done = 0;
	array_each(&to->arcs.at, arc) {
		if (!last || last->function != arc->function) {
			strbuf_putc(&to->out.text, '\n');
			own = file = put_callgrind_function(
				to, &caller_words, arc->function);
		}
		/*
		 * If the file changes within a function, the lines belong to an
		 * inlined function.
		 */
		if (arc->file != file)
			put_callgrind_file(
				to, arc->file == own ? "fe" : "fi", arc->file);
		file = arc->file;
		const uint64_t *costs = to->arcs.costs.at + arc->costs;
		uint32_t line = 0;
		if (arc->callee != ARCS_SELF) {
			put_callgrind_function(to, &callee_words, arc->callee);
			line = function_numbers_at(
				&to->arcs.functions, arc->callee)
				       ->at.line;
			/*
			 * The number of calls is unknown; the number of samples
			 * is written instead.
			 */
			strbuf_printf(&to->out.text,
				"calls=%" PRIu64 " %" PRIu32 "\n", costs[0],
				line);
		}
		strbuf_printf(&to->out.text, "%" PRIu32, arc->line);
		put_cost_values(to, costs);
		last = arc;
		to->out.done++;
		outflow_some(&to->out);
	}
}

static void put_cost_names(struct callgrind *to)
{
	enum counted_time time = to->counted.options.time;
	struct strbuf *text = &to->out.text;
	size_t i;

	strbuf_puts(text, "positions: line\nevents: Samples");
	for (i = 0; i < to->counted.events.n; i++)
		if (time)
			strbuf_puts(text,
				time == TIME_WALL ? " Wall_ns" : " Off_CPU_ns");
		else {
			/*
			 * Replace all characters except letters and digits by
			 * underscores: readers would parse another character as
			 * part of a formula.
			 */
			const struct input_event *event =
				counted_event(&to->counted, i);
			/*
			 * Replace all characters except letters and digits:
			 * readers would parse another character as part of a
			 * formula.
			 */
			const char *c;
			strbuf_puts(text,
				isalpha((unsigned char)*event->name) ? " "
								     : " _");
			for (c = event->name; *c; c++)
				strbuf_putc(text,
					isalnum((unsigned char)*c) ? *c : '_');
			if (event->occurrence)
				strbuf_printf(text, "_%" PRIu32,
					event->occurrence + 1);
		}
	strbuf_putc(text, '\n');
}

/*
 * Returns the process or thread of STACK as a pseudo-function that calls the
 * outermost function, or ARCS_SELF without a first frame of --group-by.
 */
static uint32_t stack_command_mark(
	struct callgrind *to, const struct counted_stack *stack)
{
	strbuf_clear(&to->group);
	if (!counted_put_group(&to->counted, stack, &to->group))
		return ARCS_SELF;
	strbuf_puts(&to->group, " (command)");
	return function_numbers_find_mark(&to->arcs.functions, to->group.at);
}

static void add_stack_costs(void *data, const struct counted_stack *stack)
{
	struct callgrind *to = data;
	size_t n = to->arcs.n_costs,
	       event = counted_column(&to->counted, stack) + 1u;

	memset(to->costs.at, 0, n * sizeof(*to->costs.at));
	to->costs.at[0] = stack->samples;
	to->costs.at[event] = stack->period;
	to->costs.at[n] += stack->samples;
	to->costs.at[n + event] += stack->period;
	enum thread_state state = counted_state(&to->counted, stack);
	char name[THREAD_STATE_SIZE];
	arcs_add(&to->arcs, stack->chain,
		&(struct arcs_marks){ state == STATE_ON
				? ARCS_SELF
				: function_numbers_find_mark(
					  &to->arcs.functions,
					  thread_state_mark(state, name)),
			stack_command_mark(to, stack) },
		to->costs.at);
}

static void put_callgrind_file_text(struct callgrind *to)
{
	struct result *result = &to->counted.result;
	size_t i;

	to->arcs.functions.resolver = result->resolver;
	to->arcs.functions.has_addresses = true;
	to->arcs.functions.names_builds = true;
	to->arcs.input = result_input(result);
	to->arcs.n_costs = 1 + to->counted.events.n;
	for (i = 0; i < 2 * to->arcs.n_costs; i++)
		array_push(&to->costs);
	counted_each(&to->counted, &to->out, add_stack_costs, to);
	if (to->arcs.is_full)
		log_note("%s: its call graph needs more memory than a "
			 "recording of this size may use; the other calls are "
			 "written as " HIST_REST,
			input_path(to->arcs.input));
	arcs_sort(&to->arcs);
	const struct features *facts =
		input_features(result_input(&to->counted.result));
	struct strbuf *text = &to->out.text;
	strbuf_puts(text,
		"# callgrind format\nversion: 1\n"
		"creator: " PACKAGE_STRING "\n");
	if (facts->cmdline.n)
		strbuf_puts(text, "cmd:");
	array_each(&facts->cmdline, word) {
		strbuf_putc(text, ' ');
		escape_text(text, *word);
	}
	strbuf_puts(text, facts->cmdline.n ? "\n" : "");
	put_cost_names(to);
	put_call_arcs(to);
	strbuf_puts(&to->out.text, "\ntotals:");
	put_cost_values(to, to->costs.at + to->arcs.n_costs);
}

static struct error *run_callgrind_export(const struct options *options, int fd)
{
	struct callgrind to = { .out = outflow_begin(options->output, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){ .has_lines = true,
			.has_order = true,
			.shows_callers = true },
		&to.counted);

	if (!err)
		put_callgrind_file_text(&to);
	err = outflow_end(&to.out, err);
	arcs_deinit(&to.arcs);
	string_table_deinit(&to.objects);
	strbuf_free(&to.group);
	array_free(&to.costs);
	array_free(&to.functions.is_named);
	array_free(&to.files.is_named);
	array_free(&to.objects_named.is_named);
	counted_deinit(&to.counted);
	return err;
}

const struct export export_callgrind = { "callgrind", false,
	run_callgrind_export };
