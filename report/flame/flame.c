/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame.h"

#include "common/util/alloc.h"

int flame_compare_cells(const void *a, const void *b)
{
	const struct flame_cell *left = a, *right = b;

	if (left->event != right->event)
		return COMPARE(left->event, right->event);
	if (left->slice != right->slice)
		return COMPARE(left->slice, right->slice);
	if (left->task != right->task)
		return COMPARE(left->task, right->task);
	return COMPARE(left->node, right->node);
}

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

struct ranked {
	const struct flame_function *function;
	uint32_t number;
};

static int compare_ranked_functions(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;
	int order = strcmp(left->function->name, right->function->name);

	if (!order)
		order = strcmp(
			left->function->dso ?: "", right->function->dso ?: "");
	if (!order)
		order = COMPARE(left->function->is_inlined,
			right->function->is_inlined);
	return order ? order : COMPARE(left->number, right->number);
}

static int compare_function_totals(const void *a, const void *b)
{
	const struct flame_total *left = a, *right = b;

	if (left->event != right->event)
		return COMPARE(left->event, right->event);
	return COMPARE(left->function, right->function);
}

static void renumber_functions(struct flame *flame, const uint32_t *became)
{
	array_each(&flame->nodes, node)
		node->function = became[node->function];
	array_each(&flame->totals, total)
		total->function = became[total->function];
	array_sort(&flame->totals, compare_function_totals);
}

static bool *find_used_functions(const struct flame *flame)
{
	bool *used = xcalloc(flame->functions.n + 1, sizeof(*used));

	array_each(&flame->nodes, node)
		used[node->function] = true;
	array_each(&flame->totals, total)
		used[total->function] = true;
	return used;
}

/* Sorts functions by name and removes those of no node. */
static void sort_flame_functions(struct flame *flame)
{
	size_t n = flame->functions.n, i;
	struct ranked *ranked = xcalloc(n, sizeof(*ranked));
	struct flame_function *sorted = xcalloc(n, sizeof(*sorted));
	uint32_t *became = xcalloc(n, sizeof(*became));
	bool *used = find_used_functions(flame);

	for (i = 0; i < n; i++)
		ranked[i] =
			(struct ranked){ &flame->functions.at[i], (uint32_t)i };
	qsort(ranked, n, sizeof(*ranked), compare_ranked_functions);
	flame->functions.n = 0;
	for (i = 0; i < n; i++) {
		if (!used[ranked[i].number]) {
			free(ranked[i].function->name);
			continue;
		}
		became[ranked[i].number] = (uint32_t)flame->functions.n;
		sorted[flame->functions.n++] = *ranked[i].function;
	}
	memcpy(flame->functions.at, sorted,
		flame->functions.n * sizeof(*sorted));
	renumber_functions(flame, became);
	free(ranked);
	free(sorted);
	free(became);
	free(used);
}

static int compare_flame_tasks(
	const struct flame_task *a, const struct flame_task *b)
{
	if (a->pid != b->pid)
		return COMPARE(a->pid, b->pid);
	if (a->tid != b->tid)
		return COMPARE(a->tid, b->tid);
	return strcmp(a->comm, b->comm);
}

struct numbered {
	struct flame_task task;
	uint32_t number;
};

static int compare_numbered_tasks(const void *a, const void *b)
{
	const struct numbered *left = a, *right = b;

	return compare_flame_tasks(&left->task, &right->task);
}

static void sort_flame_tasks(struct flame *flame)
{
	size_t n = flame->tasks.n, i;
	struct numbered *sorted = xcalloc(n + 1, sizeof(*sorted));
	uint32_t *became = xcalloc(n + 1, sizeof(*became));

	for (i = 0; i < n; i++)
		sorted[i] =
			(struct numbered){ flame->tasks.at[i], (uint32_t)i };
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

static struct sibling *sort_sibling_nodes(const struct flame *flame)
{
	size_t n = flame->nodes.n, i;
	struct sibling *siblings = xcalloc(n, sizeof(*siblings));

	for (i = 0; i < n; i++) {
		const struct flame_node *node = &flame->nodes.at[i];

		siblings[i] = (struct sibling){ node->parent,
			node->function << 1 | node->is_inlined, (uint32_t)i };
	}
	/* The root stays first: it has no parent. */
	if (n > 1)
		qsort(siblings + 1, n - 1, sizeof(*siblings),
			compare_sibling_nodes);
	return siblings;
}

/* Returns the index of the first child of each node among the siblings. */
static uint32_t *find_first_children(
	const struct flame *flame, const struct sibling *siblings)
{
	size_t n = flame->nodes.n, i;
	uint32_t *first = xcalloc(n + 1, sizeof(*first));

	for (i = n; i-- > 1;)
		first[siblings[i].parent] = (uint32_t)i;
	return first;
}

void flame_arrange(struct flame *flame)
{
	size_t n = flame->nodes.n;
	struct sibling *siblings;
	uint32_t *first, *became = xcalloc(n, sizeof(*became)), at = 0, next;
	struct flame_node *sorted = xcalloc(n, sizeof(*sorted));
	ARRAY(uint32_t) open = { 0 }; /* indexes of siblings */

	sort_flame_functions(flame);
	sort_flame_tasks(flame);
	siblings = sort_sibling_nodes(flame);
	first = find_first_children(flame, siblings);
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
	array_each(&flame->functions, function)
		free(function->name);
	array_each(&flame->tasks, task)
		free(task->comm);
	array_free(&flame->functions);
	array_free(&flame->nodes);
	array_free(&flame->tasks);
	array_free(&flame->cells);
	array_free(&flame->totals);
}
