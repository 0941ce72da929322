/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/forest.h"

#include <pthread.h>

#include "common/util/alloc.h"
#include "common/util/budget.h"
#include "common/util/cpus.h"

/*
 * Limit of trees that are built together, so that threads are started rarely;
 * fewer trees if they have NODES_MAX nodes, of 64 bytes each.
 */
#define AHEAD_MAX 512u
#define NODES_MAX 65536u
/*
 * Maximum of threads. Each thread has cursors of its own, of up to 40 bytes per
 * stack.
 */
#define GROWERS_MAX 4u
#define CURSOR_COST 40u
/* With fewer stacks, starting a thread costs more than building a tree. */
#define STACKS_MIN 4096u

struct forest {
	const struct scan *scan;
	const struct field_names *names;
	struct tree_common common;
	struct tree_grower *growers[GROWERS_MAX];
	size_t n_growers;
	uint64_t reserved; /* bytes reserved from the reader for the cursors */
	/*
	 * Trees of a row and of the shown rows that follow, in the order of the
	 * rows.
	 */
	struct {
		/* NULL: forest_take() has returned .tree */
		const struct row *row;
		struct tree tree; /* without nodes: not built yet */
	} ready[AHEAD_MAX];
	size_t n_ready, next; /* .next: index of the next tree to build */
	_Atomic size_t n_nodes;
};

struct forest *forest_create(
	const struct scan *scan, const struct field_names *names)
{
	struct forest *forest = xcalloc(1, sizeof(*forest));

	forest->scan = scan;
	forest->names = names;
	return forest;
}

static void drop_ready_trees(struct forest *forest)
{
	size_t i;

	for (i = 0; i < forest->n_ready; i++)
		tree_deinit(&forest->ready[i].tree);
	forest->n_ready = 0;
}

static void clear_forest(struct forest *forest)
{
	drop_ready_trees(forest);
	while (forest->n_growers)
		tree_grower_destroy(forest->growers[--forest->n_growers]);
	if (forest->reserved)
		budget_release(forest->scan->budget, forest->reserved);
	forest->reserved = 0;
	tree_common_deinit(&forest->common);
	forest->common = (struct tree_common){ 0 };
}

void forest_destroy(struct forest *forest)
{
	if (!forest)
		return;
	clear_forest(forest);
	free(forest);
}

static void select_common(struct forest *forest, const struct hist *hist,
	const struct tree_request *request)
{
	const struct tree_common *common = &forest->common;

	if (common->hist == hist && common->request.limit == request->limit &&
		common->request.key == request->key &&
		!(common->request.share < request->share) &&
		!(common->request.share > request->share))
		return;
	clear_forest(forest);
	tree_common_init(forest->names, hist, request, &forest->common);
	/* Resolve all symbol names now: the threads only read the names. */
	array_each(&common->locations, location)
		resolver_symbol_name(forest->names->resolver, *location);
	/*
	 * Create growers, which build trees, one per usable CPU, up to
	 * GROWERS_MAX and as far as memory permits.
	 */
	uint64_t n_stacks = stacks_n(&forest->scan->stacks);
	size_t n = n_stacks < STACKS_MIN
		? 1
		: MIN(cpus_usable(), (size_t)GROWERS_MAX);

	for (;;) {
		forest->growers[forest->n_growers++] =
			tree_grower_create(common);
		if (forest->n_growers == n ||
			!budget_reserve(
				forest->scan->budget, n_stacks * CURSOR_COST))
			break;
		forest->reserved += n_stacks * CURSOR_COST;
	}
}

struct forest_worker {
	struct forest *forest;
	struct tree_grower *grower;
	pthread_t thread;
};

static void *grow_ready_trees(void *data)
{
	struct forest_worker *worker = data;
	struct forest *forest = worker->forest;
	size_t i;

	while (forest->n_nodes < NODES_MAX &&
		(i = __atomic_fetch_add(&forest->next, 1, __ATOMIC_RELAXED)) <
			forest->n_ready) {
		struct tree *tree = &forest->ready[i].tree;

		tree_grow(worker->grower, forest->ready[i].row, tree);
		forest->n_nodes += tree->nodes.n;
	}
	return NULL;
}

/* Returns false if the tree of ROW is a root without branches. */
static bool row_has_branches(const struct forest *forest, const struct row *row)
{
	return MAX(row->self, row->children) >= forest->common.limit;
}

/* Builds the trees of ROW and of the shown rows that follow ROW. */
static void grow_rows_from(struct forest *forest, const struct row *row)
{
	const struct hist *hist = forest->common.hist;
	const struct row *end = hist->rows.at + hist->rows.n;
	size_t most = forest->n_growers > 1 ? AHEAD_MAX : 1;

	drop_ready_trees(forest);
	for (; row < end && forest->n_ready < most; row++) {
		if (row->is_hidden || !row_has_branches(forest, row))
			continue;
		forest->ready[forest->n_ready].row = row;
		forest->ready[forest->n_ready++].tree = (struct tree){ 0 };
	}
	/*
	 * Build the trees in .ready. If a thread cannot be started, the other
	 * threads build the trees of that thread.
	 */
	struct forest_worker workers[GROWERS_MAX];
	size_t started = 1, i;

	forest->next = 0;
	forest->n_nodes = 0;
	for (i = 0; i < forest->n_growers; i++)
		workers[i] = (struct forest_worker){ .forest = forest,
			.grower = forest->growers[i] };
	while (started < MIN(forest->n_growers, forest->n_ready) &&
		pthread_create(&workers[started].thread, NULL, grow_ready_trees,
			&workers[started]) == 0)
		started++;
	grow_ready_trees(&workers[0]);
	for (i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

static bool take_ready_tree(
	struct forest *forest, const struct row *row, struct tree *ret)
{
	size_t i;

	for (i = 0; i < forest->n_ready; i++) {
		if (forest->ready[i].row != row ||
			!forest->ready[i].tree.nodes.n)
			continue;
		*ret = forest->ready[i].tree;
		forest->ready[i].row = NULL;
		forest->ready[i].tree = (struct tree){ 0 };
		return true;
	}
	return false;
}

void forest_take(struct forest *forest, const struct hist *hist,
	const struct row *row, const struct tree_request *request,
	struct tree *ret)
{
	select_common(forest, hist, request);
	if (!row_has_branches(forest, row)) {
		tree_grow(forest->growers[0], row, ret);
		return;
	}
	if (take_ready_tree(forest, row, ret))
		return;
	grow_rows_from(forest, row);
	take_ready_tree(forest, row, ret);
}
