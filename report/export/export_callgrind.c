/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callgrind's format, for callgrind_annotate and KCachegrind
 * (valgrind.org/docs/manual/cl-format.html): what was spent in each line, and
 * below it. Names are written once, behind their number; then that is enough.
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
	struct texts objects;
	ARRAY(uint64_t) costs; /* of one stack, then of all */
	struct strbuf comm;    /* of one stack */
	/* Numbers that their names were written of. */
	struct named {
		ARRAY(bool) is_named;
	} functions, files, objects_named;
};

/* "fn=(3) name", and from then on "fn=(3)". */
static void put_name(struct callgrind *to, struct named *named,
	const char *what, uint32_t number, const char *name)
{
	struct strbuf *text = &to->out.text;

	while (named->is_named.n <= number)
		array_push(&named->is_named);
	strbuf_printf(text, "%s=(%" PRIu32 ")", what, number + 1);
	if (!named->is_named.at[number]) {
		strbuf_putc(text, ' ');
		escape_text(text, name);
		named->is_named.at[number] = true;
	}
	strbuf_putc(text, '\n');
}

/* Numbers begin behind that of no file. */
static void put_file(struct callgrind *to, const char *what, uint32_t file)
{
	put_name(to, &to->files, what, file + 1,
		file == ARCS_NO_FILE ? NO_FILE
				     : texts_at(&to->arcs.files, file));
}

struct caller {
	const char *object, *file, *function; /* words of the format */
};
static const struct caller as_caller = { "ob", "fl", "fn" };
static const struct caller as_callee = { "cob", "cfi", "cfn" };

/* Gives the file that it is in. */
static uint32_t put_function(
	struct callgrind *to, const struct caller *as, uint32_t number)
{
	const struct code_name *function;
	uint32_t file;

	if (number == ARCS_SELF) {
		put_file(to, as->file, ARCS_NO_FILE);
		put_name(to, &to->functions, as->function, 0, HIST_REST);
		return ARCS_NO_FILE;
	}
	function = code_names_at(&to->arcs.functions, number);
	file = arcs_file(&to->arcs, function->at.file);
	put_name(to, &to->objects_named, as->object,
		texts_number(&to->objects, function->dso), function->dso);
	put_file(to, as->file, file);
	put_name(to, &to->functions, as->function, number + 1,
		function->name);
	return file;
}

static void put_costs(struct callgrind *to, const uint64_t *costs)
{
	size_t i;

	for (i = 0; i < to->arcs.n_costs; i++)
		strbuf_printf(&to->out.text, " %" PRIu64, costs[i]);
	strbuf_putc(&to->out.text, '\n');
}

static void put_arc(struct callgrind *to, const struct arc *arc)
{
	const uint64_t *costs = to->arcs.costs.at + arc->costs;
	uint32_t line = 0;

	if (arc->callee != ARCS_SELF) {
		put_function(to, &as_callee, arc->callee);
		line = code_names_at(&to->arcs.functions, arc->callee)->at.line;
		/* How often it was called nobody knows. */
		strbuf_printf(&to->out.text,
			"calls=%" PRIu64 " %" PRIu32 "\n", costs[0], line);
	}
	strbuf_printf(&to->out.text, "%" PRIu32, arc->line);
	put_costs(to, costs);
}

static void put_arcs(struct callgrind *to)
{
	const struct arc *last = NULL;
	uint32_t own = ARCS_NO_FILE, file = ARCS_NO_FILE;

	to->out.total = to->arcs.at.n;
	to->out.done = 0;
	array_each(&to->arcs.at, arc) {
		if (!last || last->function != arc->function) {
			strbuf_putc(&to->out.text, '\n');
			own = file = put_function(
				to, &as_caller, arc->function);
		}
		/* Lines of another file were inlined. */
		if (arc->file != file)
			put_file(to, arc->file == own ? "fe" : "fi",
				arc->file);
		file = arc->file;
		put_arc(to, arc);
		last = arc;
		to->out.done++;
		outflow_some(&to->out);
	}
}

/* A word of letters and digits, as others would be formulas. */
static void put_event(struct strbuf *out, const struct input_event *event)
{
	const char *c;

	strbuf_puts(out, isalpha((unsigned char)*event->name) ? " " : " _");
	for (c = event->name; *c; c++)
		strbuf_putc(out, isalnum((unsigned char)*c) ? *c : '_');
	if (event->occurrence)
		strbuf_printf(out, "_%" PRIu32, event->occurrence + 1);
}

static void put_events(struct callgrind *to)
{
	enum counted_time time = to->counted.options.time;
	struct strbuf *text = &to->out.text;
	size_t i;

	strbuf_puts(text, "positions: line\nevents: Samples");
	for (i = 0; i < to->counted.events.n; i++)
		if (time)
			strbuf_puts(text,
				time == TIME_WALL ? " Wall_ns" : " Off_CPU_ns");
		else
			put_event(text, counted_event(&to->counted, i));
	strbuf_putc(text, '\n');
}

static void put_head(struct callgrind *to)
{
	const struct features *facts =
		reader_features(result_input(&to->counted.result)->reader);
	struct strbuf *text = &to->out.text;

	strbuf_puts(text, "# callgrind format\nversion: 1\n"
			  "creator: " PACKAGE_STRING "\n");
	if (facts->cmdline.n)
		strbuf_puts(text, "cmd:");
	array_each(&facts->cmdline, word) {
		strbuf_putc(text, ' ');
		escape_text(text, *word);
	}
	strbuf_puts(text, facts->cmdline.n ? "\n" : "");
	put_events(to);
}

/* What the thread did there, as if it was called. */
static uint32_t mark_of(
	struct callgrind *to, const struct counted_stack *stack)
{
	enum thread_state state = counted_state(&to->counted, stack);
	char name[THREAD_STATE_SIZE];

	return state == STATE_ON
		? ARCS_SELF
		: code_names_mark(&to->arcs.functions,
			  thread_state_mark(state, name));
}

static uint32_t command_of(
	struct callgrind *to, const struct counted_stack *stack)
{
	strbuf_clear(&to->comm);
	counted_put_comm(&to->counted, stack, &to->comm);
	strbuf_puts(&to->comm, " (command)");
	return code_names_mark(&to->arcs.functions, to->comm.at);
}

static void add_stack(void *data, const struct counted_stack *stack)
{
	struct callgrind *to = data;
	size_t n = to->arcs.n_costs, event = counted_column(&to->counted, stack) + 1u;

	memset(to->costs.at, 0, n * sizeof(*to->costs.at));
	to->costs.at[0] = stack->samples;
	to->costs.at[event] = stack->period;
	to->costs.at[n] += stack->samples;
	to->costs.at[n + event] += stack->period;
	arcs_add(&to->arcs, stack->chain,
		&(struct arcs_marks){
			mark_of(to, stack), command_of(to, stack) },
		to->costs.at);
}

/* From the head on. */
static void put_text(void *data)
{
	struct callgrind *to = data;

	array_clear(&to->functions.is_named);
	array_clear(&to->files.is_named);
	array_clear(&to->objects_named.is_named);
	put_head(to);
	put_arcs(to);
	strbuf_puts(&to->out.text, "\ntotals:");
	put_costs(to, to->costs.at + to->arcs.n_costs);
}

static void put_all(struct callgrind *to)
{
	struct result *result = &to->counted.result;
	size_t i;

	to->arcs.functions.resolver = result->resolver;
	to->arcs.functions.has_addresses = true;
	to->arcs.reader = result_input(result)->reader;
	to->arcs.n_costs = 1 + to->counted.events.n;
	for (i = 0; i < 2 * to->arcs.n_costs; i++)
		array_push(&to->costs);
	counted_each(&to->counted, &to->out, add_stack, to);
	if (to->arcs.is_full)
		log_note("%s: it holds too many different calls for its size; "
			 "what there is no memory for is shown as " HIST_REST,
			reader_path(to->arcs.reader));
	arcs_sort(&to->arcs);
	outflow_foresee(&to->out, put_text, to);
	put_text(to);
}

static struct error *run(const struct options *options, int fd)
{
	struct callgrind to = { .out = outflow_begin(options->output, &fd) };
	struct error *err = counted_make(options,
		&(struct counted_wish){ .keys = "comm",
			.has_lines = true,
			.has_order = true,
			.shows_callers = true },
		&to.counted);

	if (!err)
		put_all(&to);
	err = outflow_end(&to.out, err);
	arcs_deinit(&to.arcs);
	texts_deinit(&to.objects);
	strbuf_free(&to.comm);
	array_free(&to.costs);
	array_free(&to.functions.is_named);
	array_free(&to.files.is_named);
	array_free(&to.objects_named.is_named);
	counted_deinit(&to.counted);
	return err;
}

const struct export export_callgrind = {
	"callgrind", false, run
};
