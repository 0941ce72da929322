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

#include "common/util/budget.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/export/counted_stacks.h"
#include "report/export/export.h"
#include "report/resolve/function_numbers.h"
#include "report/scan/inputs.h"
#include "report/util/string_table.h"

/* --- call arcs ----------------------------------------------------------- */

/*
 * Sums stacks to call arcs of callgrind's format: the cost of each source line
 * of a function itself, and of each call at that line. A recursive function is
 * counted once per stack: at its innermost frame, called by the nearest outer
 * frame of another counted function. So the inclusive costs of KCachegrind (a
 * function and its calls) and of callgrind_annotate (calls of a function) equal
 * those of dwell report, also in cycles of calls.
 */

#define CALL_ARCS_SELF UINT32_MAX
#define CALL_ARCS_NO_FILE UINT32_MAX

struct call_arc {
	uint32_t function; /* index in .functions; CALL_ARCS_SELF: "[others]" */
	uint32_t callee;   /* called function; CALL_ARCS_SELF: own cost */
	uint32_t file;	   /* index in arcs.files, or CALL_ARCS_NO_FILE */
	uint32_t line;
	uint32_t costs; /* index of the arc's first cost in arcs.costs */
};

struct call_arcs {
	struct function_numbers functions;
	struct string_table files;
	size_t n_costs; /* number of costs of each arc */
	ARRAY(struct call_arc) at;
	ARRAY(uint64_t) costs;
	struct hash_index index;
	ARRAY(uint32_t)
	seen_in; /* for each function: last stack that contains
				  * it */
	uint32_t stack;
	const struct input *input; /* its size limits the memory */
	bool is_full;		   /* arcs were left out */
};

/*
 * Pseudo-functions that are added at both ends of a stack: indexes in
 * .functions.
 */
struct call_arc_marks {
	uint32_t
		inner; /* called by the sampled function; CALL_ARCS_SELF: none */
	uint32_t outer; /* calls the outermost function; CALL_ARCS_SELF: none */
};

/* Bytes of an arc and its slot in .index; a quarter of the index is empty. */
#define ARC_COST (2 * sizeof(struct call_arc) + 4 * sizeof(struct hash_slot))

/* The caller sets .functions, .n_costs and .input, and zeroes the rest. */
static void call_arcs_deinit(struct call_arcs *arcs)
{
	function_numbers_deinit(&arcs->functions);
	string_table_deinit(&arcs->files);
	array_free(&arcs->at);
	array_free(&arcs->costs);
	array_free(&arcs->seen_in);
	hash_free(&arcs->index);
}

/* Returns the index of FILE in .files, or CALL_ARCS_NO_FILE if FILE is NULL. */
static uint32_t call_arcs_file(struct call_arcs *arcs, const char *file)
{
	return file ? string_table_intern(&arcs->files, file)
		    : CALL_ARCS_NO_FILE;
}

static bool is_same_arc(const struct call_arc *a, const struct call_arc *b)
{
	return a->function == b->function && a->callee == b->callee &&
		a->file == b->file && a->line == b->line;
}

static const struct call_arc rest_arc = { .function = CALL_ARCS_SELF,
	.callee = CALL_ARCS_SELF,
	.file = CALL_ARCS_NO_FILE };

static bool reserve_arc(struct call_arcs *arcs, const struct call_arc *new)
{
	if (is_same_arc(new, &rest_arc))
		return true;
	if (!arcs->is_full)
		arcs->is_full = !budget_reserve(input_budget(arcs->input),
			ARC_COST + 2 * arcs->n_costs * sizeof(uint64_t));
	return !arcs->is_full;
}

static void add_arc_costs(struct call_arcs *arcs, const struct call_arc *new,
	const uint64_t *costs)
{
	uint64_t hash = hash_words((uint64_t) new->function << 32 | new->callee,
		(uint64_t) new->file << 32 | new->line);
	struct call_arc *arc;
	size_t j;

	hash_each_match(&arcs->index, hash, i) {
		arc = &arcs->at.at[i];
		if (!is_same_arc(arc, new))
			continue;
		for (j = 0; j < arcs->n_costs; j++)
			arcs->costs.at[arc->costs + j] += costs[j];
		return;
	}
	if (!reserve_arc(arcs, new)) {
		if (new->callee == CALL_ARCS_SELF)
			add_arc_costs(arcs, &rest_arc, costs);
		return;
	}
	hash_insert(&arcs->index, hash, (uint32_t)arcs->at.n);
	arc = array_push(&arcs->at);
	*arc = *new;
	arc->costs = (uint32_t)arcs->costs.n;
	for (j = 0; j < arcs->n_costs; j++)
		*array_push(&arcs->costs) = costs[j];
}

/*
 * Returns whether FUNCTION was already found in the current stack, and records
 * it as found.
 */
static bool is_function_in_stack(struct call_arcs *arcs, uint32_t function)
{
	bool is_function_in_stack;

	while (arcs->seen_in.n <= function)
		array_push(&arcs->seen_in);
	is_function_in_stack = arcs->seen_in.at[function] == arcs->stack;
	arcs->seen_in.at[function] = arcs->stack;
	return is_function_in_stack;
}

static struct call_arc mark_arc(uint32_t mark, uint32_t callee)
{
	return (struct call_arc){
		.function = mark, .callee = callee, .file = CALL_ARCS_NO_FILE
	};
}

/*
 * Adds the arcs of a stack. COSTS has .n_costs elements. CHAIN has the
 * locations of the stack, the sampled location first; an empty CHAIN is counted
 * as "[others]". At the limit of memory, the own cost of a function is added to
 * "[others]", and the costs of calls are left out.
 */
static void call_arcs_add(struct call_arcs *arcs, struct chain chain,
	const struct call_arc_marks *marks, const uint64_t *costs)
{
	uint32_t callee = marks->inner;
	struct call_arc arc;

	arcs->stack++;
	if (chain_is_empty(&chain)) {
		add_arc_costs(arcs, &rest_arc, costs);
		return;
	}
	if (callee != CALL_ARCS_SELF) {
		arc = mark_arc(callee, CALL_ARCS_SELF);
		add_arc_costs(arcs, &arc, costs);
	}
	while (!chain_is_empty(&chain)) {
		uint32_t location = chain_next(&chain);
		struct resolver_line at =
			resolver_line(arcs->functions.resolver, location);
		arc = (struct call_arc){
			.function = function_numbers_find(
				&arcs->functions, location),
			.file = call_arcs_file(arcs, at.file),
			.line = at.line,
		};
		if (is_function_in_stack(arcs, arc.function))
			continue;
		arc.callee = callee;
		add_arc_costs(arcs, &arc, costs);
		callee = arc.function;
	}
	if (marks->outer == CALL_ARCS_SELF)
		return;
	arc = mark_arc(marks->outer, callee);
	add_arc_costs(arcs, &arc, costs);
}

static int compare_arcs(const void *a, const void *b)
{
	const struct call_arc *left = a, *right = b;

	if (left->function != right->function)
		return COMPARE(left->function, right->function);
	if (left->callee != right->callee)
		return COMPARE(left->callee + 1, right->callee + 1);
	if (left->file != right->file)
		return COMPARE(left->file + 1, right->file + 1);
	return COMPARE(left->line, right->line);
}

/*
 * Sorts the arcs by function, callee, file and line. The own cost of a function
 * precedes its calls.
 */
static void call_arcs_sort(struct call_arcs *arcs)
{
	array_sort(&arcs->at, compare_arcs);
}

/* --- the format ----------------------------------------------------------- */

#define NO_FILE "???"

struct callgrind {
	struct counted counted;
	struct outflow out;
	struct call_arcs arcs;
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
		file == CALL_ARCS_NO_FILE
			? NO_FILE
			: string_table_at(&to->arcs.files, file));
}

struct callgrind_words {
	const char *object, *file, *function;
};
static const struct callgrind_words caller_words = { "ob", "fl", "fn" };
static const struct callgrind_words callee_words = { "cob", "cfi", "cfn" };

/*
 * Appends function NUMBER. Returns the index of its file in .arcs.files, or
 * CALL_ARCS_NO_FILE.
 */
static uint32_t put_callgrind_function(
	struct callgrind *to, const struct callgrind_words *as, uint32_t number)
{
	const struct function_numbered *function;
	uint32_t file;

	if (number == CALL_ARCS_SELF) {
		put_callgrind_file(to, as->file, CALL_ARCS_NO_FILE);
		put_numbered_name(
			to, &to->functions, as->function, 0, HIST_REST);
		return CALL_ARCS_NO_FILE;
	}
	function = function_numbers_at(&to->arcs.functions, number);
	file = call_arcs_file(&to->arcs, function->at.file);
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
	const struct call_arc *last = NULL;
	uint32_t own = CALL_ARCS_NO_FILE, file = CALL_ARCS_NO_FILE;

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
		if (arc->callee != CALL_ARCS_SELF) {
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
	enum offcpu_counted time = to->counted.options.time.counted;
	struct strbuf *text = &to->out.text;
	size_t i;

	strbuf_puts(text, "positions: line\nevents: Samples");
	for (i = 0; i < to->counted.events.n; i++)
		if (time)
			strbuf_puts(text,
				time == OFFCPU_TIME_WALL ? " Wall_ns"
							 : " Off_CPU_ns");
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
 * outermost function, or CALL_ARCS_SELF without a first frame of --group-by.
 */
static uint32_t stack_command_mark(
	struct callgrind *to, const struct counted_stack *stack)
{
	strbuf_clear(&to->group);
	if (!counted_put_group(&to->counted, stack, &to->group))
		return CALL_ARCS_SELF;
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
	enum offcpu_state state = counted_state(&to->counted, stack);
	char name[OFFCPU_STATE_SIZE];
	call_arcs_add(&to->arcs, stack->chain,
		&(struct call_arc_marks){ state == OFFCPU_STATE_ON
				? CALL_ARCS_SELF
				: function_numbers_find_mark(
					  &to->arcs.functions,
					  offcpu_state_mark(state, name)),
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
	call_arcs_sort(&to->arcs);
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
	struct callgrind to = { .out = outflow_begin(
					options->output.file, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_config){ .has_lines = true,
			.has_order = true,
			.shows_callers = true },
		&to.counted);

	if (!err)
		put_callgrind_file_text(&to);
	err = outflow_end(&to.out, err);
	call_arcs_deinit(&to.arcs);
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
