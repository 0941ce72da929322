/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_make.h"

#include "common/util/alloc.h"
#include "common/util/escape.h"
#include "report/rows/fields.h"

/* With its places in indexes, and what becomes of it. */
#define NODE_COST (2 * sizeof(struct flame_node) + 40u)
#define FUNCTION_COST (2 * sizeof(struct flame_function) + 64u)

/* The frames of all stacks that are alike, beside the thread and the time. */
struct path {
	uint64_t hash;
	uint32_t first; /* node: the command's */
	uint32_t node;	/* the last one */
};

struct making {
	const struct result *result;
	const struct flame_slices *slices;
	struct flame *flame;
	uint32_t rest; /* node of HIST_REST */
	size_t time_slot, state_slot;
	uint32_t states[THREAD_STATES]; /* functions; 0: not yet */
	ARRAY(uint32_t) functions; /* by location: its function, or 0 */
	ARRAY(struct path) paths;
	/* By context: its task, and the node of its command. */
	ARRAY(struct place { uint32_t task, node, slice; }) places;
	struct hash_index by_comm, by_task, by_node, by_path;
};

static uint32_t add_function(
	struct flame *flame, const char *name, const char *dso, char level)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	strbuf_puts(&text, "");
	escape_text(&text, name);
	*array_push(&flame->functions) = (struct flame_function){
		.name = take_pointer(text.at), .dso = dso, .level = level };
	return (uint32_t)flame->functions.n - 1;
}

static bool affords(const struct making *making, uint64_t cost)
{
	return reader_affords(making->result->scan.reader, cost);
}

static uint32_t command_function(struct making *making, const char *comm)
{
	struct flame *flame = making->flame;
	uint64_t hash = hash_string(comm);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&making->by_comm, hash, &probe)) != HASH_NONE)
		if (string_is(flame->functions.at[i].name, comm))
			return i;
	i = add_function(flame, comm, NULL, 'c');
	hash_insert(&making->by_comm, hash, i);
	return i;
}

static uint32_t code_function(struct making *making, uint32_t location)
{
	struct resolver *resolver = making->result->resolver;
	const struct location *at = resolver_location(resolver, location);
	uint32_t *function = &making->functions.at[at->shown_as];

	if (!*function && !affords(making, FUNCTION_COST))
		return making->flame->nodes.at[making->rest].function;
	if (*function)
		return *function;
	*function = add_function(making->flame,
		resolver_function_name(resolver, at->shown_as),
		resolver_dso_name(resolver, at->dso_name), at->level);
	making->flame->functions.at[*function].location = at->shown_as + 1;
	making->flame->functions.at[*function].is_unknown = !at->symbol;
	making->flame->functions.at[*function].is_inlined = at->is_inlined;
	return *function;
}

static uint32_t find_node(struct making *making, const struct flame_node *node)
{
	struct flame *flame = making->flame;
	uint64_t hash = hash_words(
		node->parent, (uint64_t)node->function << 1 | node->is_inlined);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&making->by_node, hash, &probe)) != HASH_NONE) {
		const struct flame_node *at = &flame->nodes.at[i];

		if (at->parent == node->parent &&
			at->function == node->function &&
			at->is_inlined == node->is_inlined)
			return i;
	}
	if (!affords(making, NODE_COST))
		return making->rest;
	hash_insert(&making->by_node, hash, (uint32_t)flame->nodes.n);
	*array_push(&flame->nodes) = *node;
	return (uint32_t)flame->nodes.n - 1;
}

static uint32_t find_task(
	struct making *making, uint32_t pid, uint32_t tid, const char *comm)
{
	struct flame *flame = making->flame;
	uint64_t hash =
		hash_words(hash_string(comm), (uint64_t)pid << 32 | tid);
	uint32_t i, probe = hash_start(hash);

	while ((i = hash_next(&making->by_task, hash, &probe)) != HASH_NONE) {
		const struct flame_task *task = &flame->tasks.at[i];

		if (task->pid == pid && task->tid == tid &&
			string_is(task->comm, comm))
			return i;
	}
	hash_insert(&making->by_task, hash, (uint32_t)flame->tasks.n);
	*array_push(&flame->tasks) =
		(struct flame_task){ pid, tid, xstrdup(comm) };
	return (uint32_t)flame->tasks.n - 1;
}

static uint32_t slice_of(
	const struct making *making, const struct context *context)
{
	const struct flame_slices *slices = making->slices;
	const uint64_t *values =
		stacks_values(&making->result->scan.stacks, context);

	if (!slices->length || !values ||
		values[making->time_slot] < slices->first)
		return 0;
	return (uint32_t)((values[making->time_slot] - slices->first) /
		slices->length);
}

static struct place place_of(
	struct making *making, const struct context *context)
{
	const struct field_names *names = &making->result->names;
	_cleanup_strbuf_ struct strbuf comm = { 0 }, shown = { 0 };
	uint32_t slice = slice_of(making, context), function;

	if (context->is_filtered)
		return (struct place){ 0 };
	if (context->is_rest)
		return (struct place){ find_task(making, 0, 0, HIST_REST),
			making->rest, slice };
	field_comm_text(
		names, field_comm_value(names, context, 0, NULL), &comm);
	strbuf_puts(&shown, "");
	escape_text(&shown, comm.at);
	function = command_function(making, shown.at);
	return (struct place){ find_task(making, context->pid, context->tid,
				       shown.at),
		find_node(making, &(struct flame_node){ 0, function, false }),
		slice };
}

static uint32_t walk(struct making *making, uint32_t node, struct chain chain)
{
	struct resolver *resolver = making->result->resolver;
	uint32_t sampled = chain_next(&chain);
	bool is_alone = chain_is_empty(&chain);

	while (is_alone || !chain_is_empty(&chain)) {
		uint32_t location = is_alone ? sampled : chain_last(&chain);
		const struct location *at =
			resolver_location(resolver, location);

		node = find_node(making,
			&(struct flame_node){ node,
				code_function(making, location),
				at->is_inlined });
		if (is_alone || node == making->rest)
			break;
	}
	return node;
}

/* Stacks of other threads and times have the same frames. */
static uint32_t find_path(
	struct making *making, uint32_t number, uint32_t first)
{
	const struct stacks *stacks = &making->result->scan.stacks;
	uint64_t own = stacks_at(stacks, number)->hash;
	uint64_t hash = hash_words(own, first);
	uint32_t i, probe = hash_start(hash), node;

	while ((i = hash_next(&making->by_path, hash, &probe)) != HASH_NONE) {
		const struct path *path = &making->paths.at[i];

		if (path->hash == own && path->first == first)
			return path->node;
	}
	node = walk(making, first, stacks_chain(stacks, number));
	hash_insert(&making->by_path, hash, (uint32_t)making->paths.n);
	*array_push(&making->paths) = (struct path){ own, first, node };
	return node;
}

/* Behind NODE, what its thread did there but run. */
static uint32_t state_node(
	struct making *making, uint32_t node, const struct context *context)
{
	const uint64_t *values =
		stacks_values(&making->result->scan.stacks, context);
	enum thread_state state = STATE_ON;
	_cleanup_free_ char *name = NULL;

	if (making->result->request.takes.mode == TAKE_TIME)
		state = (enum thread_state)values[making->state_slot];
	if (state == STATE_ON || node == making->rest)
		return node;
	name = xasprintf("[%s]", thread_state_name(state));
	if (!making->states[state])
		making->states[state] =
			add_function(making->flame, name, NULL, FLAME_STATE);
	return find_node(making,
		&(struct flame_node){ node, making->states[state], false });
}

static void add_stack(struct making *making, uint32_t number)
{
	const struct stacks *stacks = &making->result->scan.stacks;
	const struct stack *stack = stacks_at(stacks, number);
	const struct context *context = &stacks->contexts.at[stack->context];
	const struct place *place = &making->places.at[stack->context];

	if (context->is_filtered)
		return;
	*array_push(&making->flame->cells) = (struct flame_cell){
		.event = context->event,
		.slice = place->slice,
		.task = place->task,
		.node = context->is_rest
			? making->rest
			: state_node(making,
				  find_path(making, number, place->node),
				  context),
		.samples = stack->samples,
		.period = stack->period,
	};
}

static void begin(struct making *making)
{
	const struct result *result = making->result;
	struct flame *flame = making->flame;
	const struct field *time = field_find("time");
	uint32_t n = resolver_n_locations(result->resolver);

	if (making->slices->length)
		making->time_slot = takes_slot(
			&result->request.takes, time->take[0], time->data);
	if (result->request.takes.mode == TAKE_TIME)
		making->state_slot =
			takes_slot(&result->request.takes, take_state, NULL);
	while (making->functions.n < n)
		array_push(&making->functions);
	add_function(flame, "all", NULL, 'c');
	array_push(&flame->nodes);
	*array_push(&flame->nodes) = (struct flame_node){ 0,
		add_function(flame, HIST_REST, NULL, 'c'), false };
	making->rest = 1;
	array_each(&result->scan.stacks.contexts, context)
		*array_push(&making->places) = place_of(making, context);
}

static void end(struct making *making)
{
	array_free(&making->functions);
	array_free(&making->paths);
	array_free(&making->places);
	hash_free(&making->by_comm);
	hash_free(&making->by_task);
	hash_free(&making->by_node);
	hash_free(&making->by_path);
}

void flame_make(const struct result *result, struct flame_slices *slices,
	uint32_t most_nodes, struct flame *ret)
{
	struct making making = {
		.result = result, .slices = slices, .flame = ret
	};
	uint32_t i;

	*ret = (struct flame){ 0 };
	begin(&making);
	for (i = 0; i < stacks_n(&result->scan.stacks); i++)
		add_stack(&making, i);
	end(&making);
	flame_shrink(ret, most_nodes, FLAME_CELLS_MAX, &slices->length);
	flame_arrange(ret);
}
