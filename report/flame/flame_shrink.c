/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the size of a flame graph: nodes that are too small to be drawn are
 * merged.
 */
#include "config.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "report/flame/flame.h"

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

/* Sums of waits are before waits, so that spans do not depend on the order. */
static int compare_cell_spans(const void *a, const void *b)
{
	const struct flame_cell *left = a, *right = b;
	int order = flame_compare_cells(a, b);

	return order ? order : COMPARE(right->span, left->span);
}

static void merge_equal_cells(struct flame *flame)
{
	size_t n = 0;

	array_sort(&flame->cells, compare_cell_spans);
	array_each(&flame->cells, cell) {
		struct flame_cell *last = n ? &flame->cells.at[n - 1] : NULL;

		if (last && flame_compare_cells(last, cell) == 0) {
			if (last->span || cell->span)
				last->span = MAX(last->span ?: last->period,
					cell->span ?: cell->period);
			last->samples += cell->samples;
			last->period += cell->period;
		} else {
			flame->cells.at[n++] = *cell;
		}
	}
	flame->cells.n = n;
}

/* --- totals of functions ------------------------------------------------- */

/*
 * Returns, for each node, whether one of its ancestors has the same function.
 * One walk over the tree counts how often each function is on the path from the
 * root; walking to the root from each node would take time quadratic in the
 * depth.
 */
static bool *find_recursive_nodes(const struct flame *flame)
{
	/* for each node: its first child, and the next one of its parent; 0: none */
	uint32_t *first = xcalloc(flame->nodes.n, sizeof(*first));
	uint32_t *next = xcalloc(flame->nodes.n, sizeof(*next)), i;
	bool *is_recursive = xcalloc(flame->nodes.n, sizeof(*is_recursive));
	uint32_t *on_path = xcalloc(flame->functions.n, sizeof(*on_path));
	uint32_t node = 0;

	for (i = (uint32_t)flame->nodes.n; i-- > 1;) {
		uint32_t parent = flame->nodes.at[i].parent;

		next[i] = first[parent];
		first[parent] = i;
	}
	on_path[flame->nodes.at[0].function]++;
	for (;;) {
		if (first[node]) {
			node = first[node];
		} else {
			while (node && !next[node]) {
				on_path[flame->nodes.at[node].function]--;
				node = flame->nodes.at[node].parent;
			}
			if (!node)
				break;
			on_path[flame->nodes.at[node].function]--;
			node = next[node];
		}
		is_recursive[node] =
			on_path[flame->nodes.at[node].function]++ > 0;
	}
	free(first);
	free(next);
	free(on_path);
	return is_recursive;
}

static void keep_function_totals(struct flame *flame)
{
	_cleanup_free_ bool *is_recursive = find_recursive_nodes(flame);
	uint32_t n = 0, event;

	array_each(&flame->cells, cell)
		n = MAX(n, cell->event + 1);
	for (event = 0; event < n; event++) {
		uint64_t *below = xcalloc(flame->nodes.n, sizeof(*below));
		uint64_t *sums = xcalloc(flame->functions.n, sizeof(*sums));
		uint32_t i;

		array_each(&flame->cells, cell)
			if (cell->event == event)
				below[cell->node] += cell->period;
		for (i = (uint32_t)flame->nodes.n; i-- > 1;) {
			const struct flame_node *node = &flame->nodes.at[i];

			below[node->parent] += below[i];
			if (below[i] && !is_recursive[i])
				sums[node->function] += below[i];
		}
		for (i = 0; i < flame->functions.n; i++)
			if (sums[i])
				*array_push(&flame->totals) =
					(struct flame_total){ event, i,
						sums[i] };
		free(below);
		free(sums);
	}
}

/* --- small nodes --------------------------------------------------------- */

static int compare_samples(const void *a, const void *b)
{
	return COMPARE(*(const uint64_t *)b, *(const uint64_t *)a);
}

/*
 * Returns the smallest limit such that at most MOST of the N SAMPLES are at or
 * above the limit. N is larger than MOST.
 */
static uint64_t find_smallest_kept(
	const uint64_t *samples, size_t n, uint32_t most)
{
	uint64_t *sorted = xcalloc(n, sizeof(*sorted)), least;

	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_samples);
	least = sorted[most] + 1;
	free(sorted);
	return least;
}

struct node_dropping {
	struct flame *flame;
	uint32_t most;
	/* for each node: its "[others]" node, or 0 */
	uint32_t *rests;
	struct hash_index by_kept; /* index of the nodes below "[others]" */
};

/*
 * Returns the "[others]" node below NODE, or the root's "[others]" node at the
 * maximum number of nodes.
 */
static uint32_t find_rest_node(struct node_dropping *dropping, uint32_t node)
{
	struct flame *flame = dropping->flame;
	uint32_t function = flame->nodes.at[FLAME_REST].function;

	if (dropping->rests[node])
		return dropping->rests[node];
	if (flame->nodes.n >= dropping->most)
		return FLAME_REST;
	*array_push(&flame->nodes) =
		(struct flame_node){ node, function, false, 0 };
	return dropping->rests[node] = (uint32_t)flame->nodes.n - 1;
}

/*
 * Returns the node with the function of LIKE below REST, or REST at the maximum
 * number of nodes.
 */
static uint32_t find_rest_function(struct node_dropping *dropping,
	uint32_t rest, const struct flame_node *like)
{
	struct flame *flame = dropping->flame;
	uint64_t hash = hash_words(
		rest, (uint64_t)like->function << 1 | like->is_inlined);

	hash_each_match(&dropping->by_kept, hash, i) {
		const struct flame_node *at = &flame->nodes.at[i];

		if (at->parent == rest && at->function == like->function &&
			at->is_inlined == like->is_inlined)
			return i;
	}
	if (flame->nodes.n >= dropping->most)
		return rest;
	hash_insert(&dropping->by_kept, hash, (uint32_t)flame->nodes.n);
	*array_push(&flame->nodes) = (struct flame_node){ rest, like->function,
		like->is_inlined, 0 };
	return (uint32_t)flame->nodes.n - 1;
}

static void drop_small_nodes(struct flame *flame, uint32_t most)
{
	/* the samples of each node, with all nodes below it */
	uint64_t *samples = xcalloc(flame->nodes.n, sizeof(*samples)), least;
	typeof(flame->nodes) old = flame->nodes;
	struct node_dropping dropping = { .flame = flame, .most = most };
	/*
	 * For each old node: its new number, or the new number of the ancestor
	 * whose "[others]" it is merged into.
	 */
	uint32_t *became = xcalloc(old.n, sizeof(*became)), i;

	array_each(&flame->cells, cell)
		samples[cell->node] += cell->samples;
	for (i = (uint32_t)old.n; i-- > 1;)
		samples[old.at[i].parent] += samples[i];
	least = find_smallest_kept(samples, old.n, most / 2);
	dropping.rests = xcalloc(old.n, sizeof(*dropping.rests));
	dropping.rests[0] = FLAME_REST;
	memset(&flame->nodes, 0, sizeof(flame->nodes));
	for (i = 0; i < old.n; i++) {
		struct flame_node node = old.at[i];

		became[i] = i ? became[node.parent] : 0;
		if (i > FLAME_REST && samples[i] < least) {
			flame->n_small++;
			continue;
		}
		node.parent = became[i];
		became[i] = (uint32_t)flame->nodes.n;
		*array_push(&flame->nodes) = node;
	}
	array_each(&flame->cells, cell) {
		uint32_t node = cell->node;

		while (samples[node] < least &&
			flame->functions.at[old.at[node].function].level ==
				FLAME_STATE)
			node = old.at[node].parent;
		cell->node = became[node];
		if (node > FLAME_REST && samples[node] < least)
			cell->node = find_rest_function(&dropping,
				find_rest_node(&dropping, became[node]),
				&old.at[node]);
	}
	hash_free(&dropping.by_kept);
	array_free(&old);
	free(dropping.rests);
	free(became);
	free(samples);
}

/*
 * Keeps the largest totals, at most FLAME_TOTALS_MAX. Functions whose nodes
 * were all merged have totals, too.
 */
static void drop_small_totals(struct flame *flame)
{
	size_t n = flame->totals.n, kept = 0, i;
	_cleanup_free_ uint64_t *periods = xcalloc(n + 1, sizeof(*periods));
	uint64_t least;

	if (n <= FLAME_TOTALS_MAX)
		return;
	for (i = 0; i < n; i++)
		periods[i] = flame->totals.at[i].period;
	least = find_smallest_kept(periods, n, FLAME_TOTALS_MAX);
	array_each(&flame->totals, total)
		if (total->period >= least)
			flame->totals.at[kept++] = *total;
	flame->totals.n = kept;
}

static bool has_slices(const struct flame *flame)
{
	array_each(&flame->cells, cell)
		if (cell->slice)
			return true;
	return false;
}

void flame_shrink(struct flame *flame, uint32_t most_nodes, uint32_t most_cells,
	uint64_t *slice_length)
{
	if (flame->nodes.n > most_nodes) {
		keep_function_totals(flame);
		drop_small_nodes(flame, most_nodes);
		drop_small_totals(flame);
	}
	merge_equal_cells(flame);
	while (flame->cells.n > most_cells && has_slices(flame)) {
		array_each(&flame->cells, cell)
			cell->slice /= 2;
		*slice_length *= 2;
		merge_equal_cells(flame);
	}
}
