/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_result.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "report/flame/module_name.h"
#include "report/rows/fields.h"

/* Bytes of a node, and of a function, each with its index entry and output. */
#define NODE_COST (2 * sizeof(struct flame_node) + 40u)
#define FUNCTION_COST (2 * sizeof(struct flame_function) + 64u)
#define TASK_COST (2 * sizeof(struct flame_task) + 96u)

/* The path in the tree of all stacks that differ only in thread and time. */
struct flame_path {
	uint64_t hash;
	uint32_t first; /* node above the first frame */
	uint32_t node;	/* node of the last frame */
};

struct flame_making {
	const struct result *result;
	const struct flame_slices *slices;
	enum style_flame_grouping grouping;
	struct flame *flame;
	uint32_t rest; /* node of HIST_REST */
	size_t time_slot, state_slot;
	uint32_t states[OFFCPU_STATES]; /* for each state: its function; 0: none
				        * yet */
	/* for each location: its function, or 0 */
	ARRAY(uint32_t) functions;
	ARRAY(struct flame_path) paths;
	/*
	 * For each context: its task, the node above the first frame of its
	 * stacks, and its slice.
	 */
	ARRAY(struct flame_place { uint32_t task, node, slice; }) places;
	struct hash_index by_comm, by_task, by_node, by_path;
};

static uint32_t add_flame_function(
	struct flame *flame, const char *name, const char *dso, char level)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, "");
	escape_text(&text, name);
	*array_push(&flame->functions) = (struct flame_function){
		.name = take_pointer(text.at), .dso = dso, .level = level
	};
	return (uint32_t)flame->functions.n - 1;
}

static bool reserve_flame_memory(
	const struct flame_making *making, uint64_t cost)
{
	return budget_reserve(making->result->scan.budget, cost);
}

static uint32_t find_command_function(
	struct flame_making *making, const char *comm)
{
	struct flame *flame = making->flame;
	uint64_t hash = hash_string(comm);
	uint32_t function;

	hash_each_match(&making->by_comm, hash, i)
		if (string_is(flame->functions.at[i].name, comm))
			return i;
	if (!reserve_flame_memory(making, FUNCTION_COST))
		return flame->nodes.at[making->rest].function;
	function = add_flame_function(flame, comm, NULL, 'c');
	hash_insert(&making->by_comm, hash, function);
	return function;
}

/* Sets the members of FUNCTION, which is at LOCATION, that are for its colour. */
static void find_function_module(const struct flame_making *making,
	uint32_t location, struct flame_function *function)
{
	struct resolver *resolver = making->result->resolver;
	const struct location *at = resolver_location(resolver, location);
	const char *path = at->dso ? at->dso->path : function->dso, *file;
	struct module module = { 0 };

	function->is_in_system_library = module_is_system_library(path);
	if (at->level == 'k' || at->is_collapsed || !at->symbol)
		return;
	module = module_of_name(
		*function->dso == '[' ? function->dso : path, function->name);
	if (!module.name && !module.is_system &&
		!function->is_in_system_library && !module_is_runtime(path) &&
		(file = resolver_function_file(resolver, location)))
		module = module_of_file(file);
	function->module = module.name;
	function->is_system = module.is_system;
}

static uint32_t find_code_function(
	struct flame_making *making, uint32_t location)
{
	struct resolver *resolver = making->result->resolver;
	const struct location *at = resolver_location(resolver, location);
	uint32_t *function = &making->functions.at[at->shown_as];
	struct flame_function *new;

	if (!*function && !reserve_flame_memory(making, FUNCTION_COST))
		return making->flame->nodes.at[making->rest].function;
	if (*function)
		return *function;
	*function = add_flame_function(making->flame,
		resolver_function_name(resolver, at->shown_as),
		resolver_dso_name(resolver, at->dso_name), at->level);
	new = &making->flame->functions.at[*function];
	new->location = at->shown_as + 1;
	new->start = at->start;
	new->is_unknown = !at->symbol;
	new->is_inlined = at->is_inlined;
	new->is_guessed = at->is_guessed;
	if (at->is_guessed)
		new->build = resolver_build(resolver, at);
	find_function_module(making, at->shown_as, new);
	return *function;
}

static uint32_t find_flame_node(
	struct flame_making *making, const struct flame_node *node)
{
	struct flame *flame = making->flame;
	uint64_t hash = hash_words(
		node->parent, (uint64_t)node->function << 1 | node->is_inlined);

	hash_each_match(&making->by_node, hash, i) {
		const struct flame_node *at = &flame->nodes.at[i];

		if (at->parent == node->parent &&
			at->function == node->function &&
			at->is_inlined == node->is_inlined)
			return i;
	}
	if (!reserve_flame_memory(making, NODE_COST))
		return making->rest;
	hash_insert(&making->by_node, hash, (uint32_t)flame->nodes.n);
	*array_push(&flame->nodes) = *node;
	return (uint32_t)flame->nodes.n - 1;
}

/*
 * Returns the number of the task that is equal to LIKE, which is copied; of the task of
 * HIST_REST if there is no memory.
 */
static uint32_t find_flame_task(
	struct flame_making *making, const struct flame_task *like)
{
	static const struct flame_task rest = { { 0 }, (char *)HIST_REST,
		(char *)HIST_REST };
	struct flame *flame = making->flame;
	uint64_t hash = hash_words(
		hash_string(like->comm), thread_ids_hash(&like->ids));

	hash_each_match(&making->by_task, hash, i) {
		const struct flame_task *task = &flame->tasks.at[i];

		if (!thread_ids_compare(&task->ids, &like->ids) &&
			string_is(task->comm, like->comm) &&
			string_is(task->process, like->process))
			return i;
	}
	if (thread_ids_compare(&like->ids, &rest.ids) &&
		!reserve_flame_memory(making, TASK_COST))
		return find_flame_task(making, &rest);
	hash_insert(&making->by_task, hash, (uint32_t)flame->tasks.n);
	*array_push(&flame->tasks) = (struct flame_task){ like->ids,
		xstrdup(like->comm), xstrdup(like->process) };
	return (uint32_t)flame->tasks.n - 1;
}

uint32_t flame_slice(const struct flame_slices *slices, uint64_t time)
{
	return slices->length && time > slices->first
		? (uint32_t)((time - slices->first) / slices->length)
		: 0;
}

/* Moves the text of RAW, which can be empty, to OUT, escaped. */
static void put_escaped_name(struct strbuf *raw, struct strbuf *out)
{
	strbuf_puts(raw, "");
	strbuf_puts(out, "");
	escape_text(out, raw->at);
	strbuf_clear(raw);
}

static struct flame_place make_flame_place(
	struct flame_making *making, const struct context *context)
{
	const struct field_names *names = &making->result->names;
	_cleanup_strbuf_ struct strbuf raw = { 0 }, comm = { 0 },
				       process = { 0 };
	const uint64_t *values =
		stacks_values(&making->result->scan.stacks, context);
	uint32_t slice = !values || making->result->options->count.keeps_times
		? 0
		: flame_slice(making->slices, values[making->time_slot]);
	struct flame_task task = { { 0 }, (char *)HIST_REST,
		(char *)HIST_REST };

	if (context->is_filtered)
		return (struct flame_place){ 0 };
	if (context->is_rest)
		return (struct flame_place){ find_flame_task(making, &task),
			making->rest, slice };
	field_comm_text(names, field_comm_value(names, context, 0, NULL), &raw);
	put_escaped_name(&raw, &comm);
	field_process_text(names, context, &raw);
	put_escaped_name(&raw, &process);
	task = (struct flame_task){ context->ids, comm.at, process.at };
	struct flame_place place = { find_flame_task(making, &task), 0, slice };

	if (making->grouping != STYLE_FLAME_BY_NONE) {
		uint32_t function = find_command_function(making,
			making->grouping == STYLE_FLAME_BY_THREAD
				? task.comm
				: task.process);

		place.node = find_flame_node(
			making, &(struct flame_node){ 0, function, false, 0 });
	}
	return place;
}

static uint32_t add_chain_nodes(
	struct flame_making *making, uint32_t node, struct chain chain)
{
	const struct options *options = making->result->options;
	struct resolver *resolver = making->result->resolver;
	uint32_t sampled = chain_next(&chain);
	bool is_alone = chain_is_empty(&chain);

	while (is_alone || !chain_is_empty(&chain)) {
		uint32_t location = is_alone ? sampled
			: options->stacks.has_callees_first
			? chain_next(&chain)
			: chain_last(&chain);
		const struct location *at =
			resolver_location(resolver, location);

		node = find_flame_node(making,
			&(struct flame_node){ node,
				find_code_function(making, location),
				at->is_inlined, 0 });
		if (is_alone || node == making->rest)
			break;
	}
	return node;
}

/*
 * Returns the node of the last frame of stack NUMBER, below the node FIRST.
 * Nodes are kept for each path, because stacks of other threads and times can
 * have the same frames.
 */
static uint32_t find_path_node(
	struct flame_making *making, uint32_t number, uint32_t first)
{
	const struct stacks *stacks = &making->result->scan.stacks;
	uint64_t own = stacks_at(stacks, number)->hash;
	uint64_t hash = hash_words(own, first);
	uint32_t node;

	hash_each_match(&making->by_path, hash, i) {
		const struct flame_path *path = &making->paths.at[i];

		if (path->hash == own && path->first == first)
			return path->node;
	}
	node = add_chain_nodes(making, first, stacks_chain(stacks, number));
	hash_insert(&making->by_path, hash, (uint32_t)making->paths.n);
	*array_push(&making->paths) = (struct flame_path){ own, first, node };
	return node;
}

/*
 * Returns the node of CONTEXT's off-CPU state below NODE, or NODE if the thread
 * was running.
 */
static uint32_t find_state_node(struct flame_making *making, uint32_t node,
	const struct context *context)
{
	const struct stacks *stacks = &making->result->scan.stacks;
	const uint64_t *values = stacks_values(stacks, context);
	enum offcpu_state state = OFFCPU_STATE_ON;
	_cleanup_free_ char *name = NULL;
	uint32_t waits_in;

	if (making->result->request.sample_keys.mode == SAMPLE_COUNT_TIME)
		state = (enum offcpu_state)values[making->state_slot];
	if (state == OFFCPU_STATE_ON || node == making->rest)
		return node;
	name = xasprintf("[%s]", offcpu_state_name(state));
	if (!making->states[state])
		making->states[state] = add_flame_function(
			making->flame, name, NULL, FLAME_STATE);
	node = find_flame_node(making,
		&(struct flame_node){ node, making->states[state], false, 0 });
	waits_in = stacks_functions(
		stacks, (uint32_t)(context - stacks->contexts.at))
			   .waits_in;
	if (waits_in && node != making->rest)
		making->flame->nodes.at[node].waits_in =
			find_code_function(making, waits_in - 1) + 1;
	return node;
}

/*
 * Returns the node of stack NUMBER of CONTEXT below the node FIRST. Its state is
 * next to its innermost frame.
 */
static uint32_t find_stack_node(struct flame_making *making, uint32_t number,
	const struct context *context, uint32_t first)
{
	if (context->is_rest)
		return making->rest;
	if (making->result->options->stacks.has_callees_first)
		return find_path_node(making, number,
			find_state_node(making, first, context));
	return find_state_node(
		making, find_path_node(making, number, first), context);
}

/*
 * Returns the cell of stack NUMBER. It has neither samples nor a period if it is
 * filtered.
 */
static struct flame_cell make_stack_cell(
	struct flame_making *making, uint32_t number)
{
	const struct stacks *stacks = &making->result->scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	const struct context *context = &stacks->contexts.at[stack->context];
	const struct flame_place *place = &making->places.at[stack->context];

	if (context->is_filtered)
		return (struct flame_cell){ 0 };
	return (struct flame_cell){
		.event = context->event,
		.slice = place->slice,
		.task = place->task,
		.node = find_stack_node(making, number, context, place->node),
		.samples = stack->samples,
		.period = stack->period,
	};
}

static bool is_counted_cell(const struct flame_cell *cell)
{
	return cell->samples || cell->period;
}

static void begin_flame(struct flame_making *making)
{
	const struct result *result = making->result;
	struct flame *flame = making->flame;
	const struct field *time = field_find("time");
	uint32_t n = resolver_n_locations(result->resolver);

	if (making->slices->length && !result->options->count.keeps_times)
		making->time_slot =
			sample_keys_slot(&result->request.sample_keys,
				time->take[0], time->data);
	if (result->request.sample_keys.mode == SAMPLE_COUNT_TIME)
		making->state_slot = sample_keys_slot(
			&result->request.sample_keys, sample_key_state, NULL);
	while (making->functions.n < n)
		array_push(&making->functions);
	add_flame_function(flame, "all", NULL, 'c');
	array_push(&flame->nodes);
	*array_push(&flame->nodes) = (struct flame_node){ 0,
		add_flame_function(flame, HIST_REST, NULL, 'c'), false, 0 };
	making->rest = 1;
	array_each(&result->scan.stacks.contexts, context)
		*array_push(&making->places) =
			make_flame_place(making, context);
}

void flame_make(const struct result *result, struct flame_slices *slices,
	uint32_t most_nodes, enum style_flame_grouping grouping,
	struct flame *ret)
{
	struct flame_making making = { .result = result,
		.slices = slices,
		.grouping = grouping,
		.flame = ret };

	*ret = (struct flame){ 0 };
	begin_flame(&making);
	const struct stacks *stacks = &making.result->scan.stacks;
	bool keeps_times = making.result->options->count.keeps_times;
	uint32_t n = stacks_n(stacks), i;
	struct stack_cell {
		uint32_t event, task, node;
		bool is_counted;
	} *by_stack = xcalloc(keeps_times ? n + 1 : 1, sizeof(*by_stack));

	/* Cells are the most memory of a page: their array does not grow by doubling. */
	ret->cells.room = (keeps_times ? stacks->times.n : n) + 1;
	ret->cells.at =
		xrealloc_array(NULL, ret->cells.room, sizeof(*ret->cells.at));
	for (i = 0; i < n; i++) {
		struct flame_cell cell = make_stack_cell(&making, i);

		if (keeps_times)
			by_stack[i] = (struct stack_cell){ cell.event,
				cell.task, cell.node, is_counted_cell(&cell) };
		else if (is_counted_cell(&cell))
			*array_push(&ret->cells) = cell;
	}
	/* Add a cell for each sample, in the slice of its time. */
	array_each(&stacks->times, time) {
		const struct stack_cell *at;

		if (!keeps_times || time->stack == HASH_NONE)
			continue;
		at = &by_stack[time->stack];
		if (!at->is_counted)
			continue;
		*array_push(&ret->cells) = (struct flame_cell){
			.event = at->event,
			.slice = flame_slice(making.slices, time->time),
			.task = at->task,
			.node = at->node,
			.samples = 1,
			.period = time->period,
			.span = time->span,
		};
	}
	free(by_stack);
	array_free(&making.functions);
	array_free(&making.paths);
	array_free(&making.places);
	hash_free(&making.by_comm);
	hash_free(&making.by_task);
	hash_free(&making.by_node);
	hash_free(&making.by_path);
	flame_shrink(ret, most_nodes,
		result->options->count.keeps_times ? FLAME_SAMPLES_MAX
						   : FLAME_CELLS_MAX,
		&slices->length);
	flame_arrange(ret);
}

/*
 * Up to FLAME_SAMPLES_MAX samples, each sample keeps its time, rounded down to
 * EXACT_NS ns.
 */
#define EXACT_NS 1000u
/*
 * Other samples are counted in slices of the time range, up to SAMPLES_PLENTY
 * samples in SLICES_MAX slices.
 */
#define SAMPLES_PLENTY 500000u
#define SLICES_MAX 1024u
#define SLICES_MIN 32u
/*
 * Limit of the number of stacks, counted separately for each thread and slice.
 * Beyond the limit, flame_make() would join slices anyway.
 */
#define STACKS_PLENTY (2 * FLAME_CELLS_MAX)
#define SLICES_FEW 4u

/*
 * Returns the length of a slice, in ns, such that MOMENTS has at most MOST
 * slices.
 */
static uint64_t find_slice_length(
	const struct time_bins *time_bins, uint64_t most)
{
	uint64_t bins = time_bins->last - time_bins->first + 1;

	return time_bins->bin_ns * ((bins + most - 1) / most);
}

static void choose_flame_slices(struct flame_result *made)
{
	const struct time_bins *time_bins = &made->time_bins;
	uint64_t ns = time_bins->last_time - time_bins->first_time;
	uint64_t samples = time_bins->samples, most = SLICES_MAX,
		 length = EXACT_NS;

	/*
	 * About 100 bytes for each sample, whatever the size of the file: a
	 * recording has about 9 bytes for a sample, and reader_budget() would
	 * permit 81.
	 */
	made->options.count.keeps_times =
		time_bins->samples <= FLAME_SAMPLES_MAX;
	if (made->options.count.keeps_times) {
		/* The length of a bin is a multiple of that of a slice. */
		while (ns / length >= UINT32_MAX - time_bins->bin_ns / length &&
			length < time_bins->bin_ns)
			length *= 10;
		made->slices.length = MIN(length, time_bins->bin_ns);
	} else {
		/*
		 * Twice the number of slices creates up to twice the number of
		 * stacks, because a stack belongs to a thread and a slice.
		 * Therefore there are fewer slices if there are many samples,
		 * and still fewer if there are many stacks.
		 */
		for (; samples > SAMPLES_PLENTY && most > SLICES_MIN;
			samples /= 2)
			most /= 2;
		while (most > SLICES_FEW &&
			cardinality_estimate(&time_bins->cardinality, most) >
				STACKS_PLENTY)
			most /= 2;
		made->slices.length = find_slice_length(time_bins, most);
	}
	/* Both a slice and a bin begin there. */
	length = MAX(made->slices.length, time_bins->bin_ns);
	made->slices.first = time_bins->first_time / length * length;
	if (made->options.count.keeps_times)
		return;
	made->options.count.quantum_ns = made->slices.length;
	made->options.rows.sort =
		made->options.time.counted ? "tid,waits_in,time" : "tid,time";
}

/*
 * Prints a note if too many different stacks made slices longer than
 * 1/SLICES_MIN of the time range.
 */
static void report_long_slices(const struct flame_result *made)
{
	uint64_t length = made->slices.length;

	if (made->has_times &&
		length > find_slice_length(&made->time_bins, SLICES_MIN))
		log_note("%s: too many different stacks for short time slices: "
			 "a time range can be selected in steps of %.3g s",
			reader_path(result_input(&made->result)->reader),
			(double)length / NSEC_PER_SEC);
}

/*
 * Selects --wall for a recording of --off-cpu, unless an option selects what is
 * counted: time shows more than samples do.
 */
static void choose_counted_time(struct flame_result *made)
{
	const struct reader *reader = result_input(&made->result)->reader;

	if (!made->options.time.prefers_wall || !offcpu_is_recorded(reader))
		return;
	if (offcpu_covers_all_events(reader)) {
		made->options.time.counted = OFFCPU_TIME_WALL;
		log_note("%s was recorded with --off-cpu: showing time on and "
			 "off "
			 "the CPU, as with --wall. To show samples, use "
			 "--no-wall",
			reader_path(reader));
	} else {
		log_note("%s was recorded with --off-cpu: showing the samples "
			 "of "
			 "each event. To show time, use --off-cpu or --wall",
			reader_path(reader));
	}
}

static void collect_sample_addresses(struct flame_result *made)
{
	struct sample_addresses *hits = &made->result.hits;

	made->options.count.by_place = true;
	hits->sample_keys = &made->result.request.sample_keys;
	if (made->has_times && !made->options.count.keeps_times)
		hits->time = field_find("time")->take[0];
}

struct error *flame_result_make(const struct options *options,
	const struct flame_config *config, struct flame_result *ret)
{
	struct error *err;

	memset(ret, 0, sizeof(*ret));
	ret->options = *options;
	ret->options.output.view = "stdio";
	ret->options.count.branches = OPTION_OFF;
	ret->options.rows.sort = "tid";
	err = result_begin(&ret->options, &ret->result);
	if (err)
		return err;
	choose_counted_time(ret);
	if (ret->options.time.counted)
		ret->options.rows.sort = "tid,waits_in";
	/* The outermost frames of stacks beyond a limit are kept. */
	ret->options.rows.children = OPTION_ON;
	err = result_survey(&ret->result);
	if (err)
		return err;
	if (config->has_times &&
		field_is_recorded(field_find("time"),
			result_input(&ret->result)->reader)) {
		time_bins_count(&ret->result, &ret->time_bins);
		ret->has_times = ret->time_bins.samples;
	}
	if (ret->has_times)
		choose_flame_slices(ret);
	if (config->has_code)
		collect_sample_addresses(ret);
	err = result_count_prepared(&ret->result);
	if (err)
		return err;
	result_measure_threads(&ret->result);
	flame_make(&ret->result, &ret->slices,
		config->is_part ? UINT32_MAX : FLAME_NODES_MAX,
		config->grouping, &ret->flame);
	/*
	 * A comparison reports a recording without samples by itself, as an
	 * error.
	 */
	if (!config->is_part || ret->flame.cells.n) {
		/*
		 * Print a message if the flame graph has no samples, also if
		 * the filters excluded all of them, or has no callers.
		 */
		if (!ret->flame.cells.n)
			result_report_empty(&ret->result);
		else if (!ret->options.count.is_for_code)
			result_report_no_callers(&ret->result);
		result_report_unmatched_transforms(&ret->result);
	}
	if (ret->flame.n_small)
		log_note("%s: %" PRIu32 " frame%s too small to be drawn "
			 "and shown as " HIST_REST,
			reader_path(result_input(&ret->result)->reader),
			ret->flame.n_small,
			ret->flame.n_small == 1 ? " is" : "s are");
	report_long_slices(ret);
	return NULL;
}

void flame_result_deinit(struct flame_result *made)
{
	flame_deinit(&made->flame);
	time_bins_deinit(&made->time_bins);
	result_deinit(&made->result);
}
