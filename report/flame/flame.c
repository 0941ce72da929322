/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "report/resolve/function_numbers.h"
#include "report/resolve/guessed_builds.h"
#include "report/rows/hist.h"

struct sibling {
	uint32_t parent, rank, node;
};

static int compare_sibling_nodes(const void *a, const void *b)
{
	const struct sibling *left = a, *right = b;

	if (left->parent != right->parent)
		return COMPARE(left->parent, right->parent);
	if (left->rank != right->rank)
		return COMPARE(left->rank, right->rank);
	return COMPARE(left->node, right->node);
}

struct ranked_sibling {
	const struct flame_function *function;
	uint32_t number;
};

static int compare_ranked_functions(const void *a, const void *b)
{
	const struct ranked_sibling *left = a, *right = b;
	int order = strcmp(left->function->name, right->function->name);

	if (!order)
		order = strcmp(
			left->function->dso ?: "", right->function->dso ?: "");
	if (!order)
		order = COMPARE(left->function->is_inlined,
			right->function->is_inlined);
	if (!order)
		order = COMPARE(left->function->start, right->function->start);
	return order ? order : COMPARE(left->number, right->number);
}

static int compare_function_totals(const void *a, const void *b)
{
	const struct flame_total *left = a, *right = b;

	if (left->event != right->event)
		return COMPARE(left->event, right->event);
	return COMPARE(left->function, right->function);
}

/*
 * Sorts functions by name, and removes functions that have no node and no
 * total.
 */
static void sort_flame_functions(struct flame *flame)
{
	size_t n = flame->functions.n, i;
	struct ranked_sibling *ranked = xcalloc(n, sizeof(*ranked));
	struct flame_function *sorted = xcalloc(n, sizeof(*sorted));
	uint32_t *became = xcalloc(n, sizeof(*became));
	bool *used = xcalloc(n + 1, sizeof(*used));

	array_each(&flame->nodes, node) {
		used[node->function] = true;
		if (node->waits_in)
			used[node->waits_in - 1] = true;
	}
	array_each(&flame->totals, total)
		used[total->function] = true;
	for (i = 0; i < n; i++)
		ranked[i] = (struct ranked_sibling){ &flame->functions.at[i],
			(uint32_t)i };
	qsort(ranked, n, sizeof(*ranked), compare_ranked_functions);
	flame->functions.n = 0;
	for (i = 0; i < n; i++) {
		if (!used[ranked[i].number]) {
			free(ranked[i].function->name);
			free(ranked[i].function->module);
			continue;
		}
		became[ranked[i].number] = (uint32_t)flame->functions.n;
		sorted[flame->functions.n++] = *ranked[i].function;
	}
	memcpy(flame->functions.at, sorted,
		flame->functions.n * sizeof(*sorted));
	array_each(&flame->nodes, node) {
		node->function = became[node->function];
		if (node->waits_in)
			node->waits_in = became[node->waits_in - 1] + 1;
	}
	array_each(&flame->totals, total)
		total->function = became[total->function];
	array_sort(&flame->totals, compare_function_totals);
	free(ranked);
	free(sorted);
	free(became);
	free(used);
}

struct numbered_frame {
	struct flame_task task;
	uint32_t number;
};

static int compare_numbered_tasks(const void *a, const void *b)
{
	const struct numbered_frame *left = a, *right = b;

	int order = thread_ids_compare(&left->task.ids, &right->task.ids);

	if (!order)
		order = strcmp(left->task.comm, right->task.comm);
	return order ? order : strcmp(left->task.process, right->task.process);
}

static void sort_flame_tasks(struct flame *flame)
{
	size_t n = flame->tasks.n, i;
	struct numbered_frame *sorted = xcalloc(n + 1, sizeof(*sorted));
	uint32_t *became = xcalloc(n + 1, sizeof(*became));

	for (i = 0; i < n; i++)
		sorted[i] = (struct numbered_frame){ flame->tasks.at[i],
			(uint32_t)i };
	qsort(sorted, n, sizeof(*sorted), compare_numbered_tasks);
	for (i = 0; i < n; i++) {
		flame->tasks.at[i] = sorted[i].task;
		became[sorted[i].number] = (uint32_t)i;
	}
	array_each(&flame->cells, cell)
		cell->task = became[cell->task];
	free(sorted);
	free(became);
}

void flame_arrange(struct flame *flame)
{
	size_t n = flame->nodes.n, i;
	struct sibling *siblings = xcalloc(n, sizeof(*siblings));
	/* for each node: the index in SIBLINGS of its first child, or 0 */
	uint32_t *first = xcalloc(n + 1, sizeof(*first));
	uint32_t *became = xcalloc(n, sizeof(*became)), at = 0, next;
	struct flame_node *sorted = xcalloc(n, sizeof(*sorted));
	ARRAY(uint32_t) open = { 0 }; /* indexes in siblings, not visited yet */

	sort_flame_functions(flame);
	sort_flame_tasks(flame);
	for (i = 0; i < n; i++) {
		const struct flame_node *node = &flame->nodes.at[i];

		siblings[i] = (struct sibling){ node->parent,
			node->function << 1 | node->is_inlined, (uint32_t)i };
	}
	/* The root stays first: it is not the child of another node. */
	if (n > 1)
		qsort(siblings + 1, n - 1, sizeof(*siblings),
			compare_sibling_nodes);
	for (i = n; i-- > 1;)
		first[siblings[i].parent] = (uint32_t)i;
	*array_push(&open) = 0;
	while (open.n) {
		uint32_t place = open.at[--open.n];
		uint32_t node = siblings[place].node;

		sorted[at] = flame->nodes.at[node];
		sorted[at].parent = became[sorted[at].parent];
		became[node] = at++;
		next = place + 1;
		if (place && next < n &&
			siblings[next].parent == siblings[place].parent)
			*array_push(&open) = next;
		if (first[node])
			*array_push(&open) = first[node];
	}
	memcpy(flame->nodes.at, sorted, n * sizeof(*sorted));
	array_each(&flame->cells, cell)
		cell->node = became[cell->node];
	array_sort(&flame->cells, flame_compare_cells);
	array_free(&open);
	free(siblings);
	free(first);
	free(became);
	free(sorted);
}

void flame_deinit(struct flame *flame)
{
	array_each(&flame->functions, function) {
		free(function->name);
		free(function->module);
	}
	array_each(&flame->tasks, task) {
		free(task->comm);
		free(task->process);
	}
	array_free(&flame->functions);
	array_free(&flame->nodes);
	array_free(&flame->tasks);
	array_free(&flame->cells);
	array_free(&flame->totals);
}

/* --- trees of several recordings ----------------------------------------- */

struct flame_merging {
	struct flame *flame;
	const struct flame *part;
	uint32_t *functions,
		*nodes; /* for each number in .part: number in .flame */
	struct hash_index by_function, by_node, by_task;
	struct guessed_builds guessed_builds;
};

static uint32_t find_merged_function(
	struct flame_merging *merging, const struct flame_function *like)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	struct flame *flame = merging->flame;
	struct flame_function function = {
		.dso = like->dso,
		.level = like->level,
		.is_inlined = like->is_inlined,
		.is_system = like->is_system,
		.is_in_system_library = like->is_in_system_library,
	};
	struct guessed_builds *builds = &merging->guessed_builds;
	uint32_t n = (uint32_t)flame->functions.n;
	uint64_t hash;

	/* A DSO of which the parts have different builds has no guessed functions. */
	if (like->is_guessed)
		function.is_guessed =
			!builds->at
				 .at[guessed_builds_add(
					 builds, like->dso ?: "", like->build)]
				 .differs;
	/*
	 * All unknown code of a DSO gets one name, because addresses differ
	 * between recordings. So does guessed code of a DSO with several
	 * builds.
	 */
	if (like->is_unknown || (like->is_guessed && !function.is_guessed))
		function_numbers_put_unknown(like->dso ?: "unknown", &name);
	else
		strbuf_puts(&name, like->name);
	function.name = name.at;
	hash = hash_words(hash_string(function.name),
		hash_string(like->dso ?: "") + (uint8_t)like->level);
	hash_each_match(&merging->by_function, hash, i)
		if (flame->functions.at[i].level == function.level &&
			string_is(flame->functions.at[i].name, function.name) &&
			string_is(flame->functions.at[i].dso ?: "",
				function.dso ?: "")) {
			flame->functions.at[i].is_inlined &= like->is_inlined;
			return i;
		}
	hash_insert(&merging->by_function, hash, n);
	function.name = xstrdup(function.name);
	function.module = like->module ? xstrdup(like->module) : NULL;
	*array_push(&flame->functions) = function;
	return n;
}

static uint32_t find_merged_node(
	struct flame_merging *merging, struct flame_node node)
{
	struct flame *flame = merging->flame;
	uint64_t hash = hash_words(node.parent, node.function);
	uint32_t n = (uint32_t)flame->nodes.n;

	hash_each_match(&merging->by_node, hash, i) {
		const struct flame_node *at = &flame->nodes.at[i];

		if (at->parent == node.parent && at->function == node.function)
			return i;
	}
	hash_insert(&merging->by_node, hash, n);
	*array_push(&flame->nodes) = node;
	return n;
}

/* Adds a task with the names of LIKE, unless there is such a task. */
static void add_merged_task(
	struct flame_merging *merging, const struct flame_task *like)
{
	struct flame *flame = merging->flame;
	uint64_t hash =
		hash_words(hash_string(like->comm), hash_string(like->process));

	hash_each_match(&merging->by_task, hash, i)
		if (string_is(flame->tasks.at[i].comm, like->comm) &&
			string_is(flame->tasks.at[i].process, like->process))
			return;
	hash_insert(&merging->by_task, hash, (uint32_t)flame->tasks.n);
	*array_push(&flame->tasks) =
		(struct flame_task){ .comm = xstrdup(like->comm),
			.process = xstrdup(like->process) };
}

static void merge_part(
	struct flame_merging *merging, const struct flame_part *part)
{
	const struct flame *flame = part->flame;

	merging->part = flame;
	merging->functions =
		xcalloc(flame->functions.n, sizeof(*merging->functions));
	merging->nodes = xcalloc(flame->nodes.n, sizeof(*merging->nodes));
	uint32_t i;

	for (i = 0; i < merging->part->functions.n; i++)
		merging->functions[i] = find_merged_function(
			merging, &merging->part->functions.at[i]);
	for (i = 1; i < merging->part->nodes.n; i++) {
		const struct flame_node *node = &merging->part->nodes.at[i];
		uint32_t parent = merging->nodes[node->parent];
		uint32_t site = node->waits_in;

		merging->nodes[i] =
			merging->part->functions.at[node->function].is_folded
			? parent
			: find_merged_node(merging,
				  (struct flame_node){ parent,
					  merging->functions[node->function],
					  false,
					  site ? merging->functions[site - 1] +
							  1
					       : 0 });
	}
	array_each(&flame->tasks, task)
		add_merged_task(merging, task);
	array_each(&flame->cells, cell)
		*array_push(&merging->flame->cells) = (struct flame_cell){
			.event = part->first_event + cell->event,
			.node = merging->nodes[cell->node],
			.samples = cell->samples,
			.period = cell->period,
		};
	free(merging->functions);
	free(merging->nodes);
}

void flame_merge(const struct flame_part *parts, size_t n, struct flame *ret)
{
	struct flame_merging merging = { .flame = ret };
	uint64_t no_slices = 0;
	size_t i;

	*ret = (struct flame){ 0 };
	for (i = 0; i < n; i++) {
		array_each(&parts[i].flame->functions, function)
			if (function->is_guessed)
				guessed_builds_add(&merging.guessed_builds,
					function->dso ?: "", function->build);
	}
	/*
	 * Add the root as node 0 and "[others]" as node FLAME_REST, the numbers
	 * that flame_shrink() expects.
	 */
	const struct flame_function rest = { .name = (char *)HIST_REST,
		.level = 'c' };
	const struct flame_task nameless = { .comm = (char *)"",
		.process = (char *)"" };
	const struct flame_node *root = &parts[0].flame->nodes.at[0];

	*array_push(&merging.flame->nodes) = (struct flame_node){ 0,
		find_merged_function(&merging,
			&parts[0].flame->functions.at[root->function]),
		false, 0 };
	find_merged_node(&merging,
		(struct flame_node){
			0, find_merged_function(&merging, &rest), false, 0 });
	add_merged_task(&merging, &nameless);
	for (i = 0; i < n; i++)
		merge_part(&merging, &parts[i]);
	hash_free(&merging.by_function);
	hash_free(&merging.by_node);
	hash_free(&merging.by_task);
	guessed_builds_deinit(&merging.guessed_builds);
	flame_shrink(ret, FLAME_NODES_MAX, FLAME_CELLS_MAX, &no_slices);
	flame_arrange(ret);
}
