/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/forest.h"

#include <pthread.h>

#include "common/util/alloc.h"
#include "common/util/cpus.h"

/*
 * Trees that are grown at once, so that threads need not begin again so often;
 * fewer, if they have so many nodes, of 64 bytes each.
 */
#define AHEAD_MAX 512u
#define NODES_MAX 65536u
/* Each has cursors of its own, of up to 40 bytes per stack. */
#define GROWERS_MAX 4u
#define CURSOR_COST 40u
/* With fewer stacks a thread's start costs more than a tree. */
#define STACKS_MIN 4096u

struct forest {
	const struct scan *scan;
	const struct field_names *names;
	struct tree_ground ground;
	struct tree_grower *growers[GROWERS_MAX];
	size_t n_growers;
	uint64_t put_by; /* bytes of the reader's, for their cursors */
	/* Of one row and those behind it, in their order. */
	struct {
		const struct row *row; /* NULL: it is taken */
		struct tree tree;      /* without nodes: it isn't grown */
	} ready[AHEAD_MAX];
	size_t n_ready, next; /* NEXT is to be grown */
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

static void drop_ready(struct forest *forest)
{
	size_t i;

	for (i = 0; i < forest->n_ready; i++)
		tree_deinit(&forest->ready[i].tree);
	forest->n_ready = 0;
}

static void clear(struct forest *forest)
{
	drop_ready(forest);
	while (forest->n_growers)
		tree_grower_destroy(forest->growers[--forest->n_growers]);
	if (forest->put_by)
		reader_returns(forest->scan->reader, forest->put_by);
	forest->put_by = 0;
	tree_ground_deinit(&forest->ground);
	forest->ground = (struct tree_ground){ 0 };
}

void forest_destroy(struct forest *forest)
{
	if (!forest)
		return;
	clear(forest);
	free(forest);
}

/* As many threads as there are CPUs for us, and memory. */
static void find_growers(struct forest *forest)
{
	uint64_t cost = (uint64_t)stacks_n(&forest->scan->stacks) * CURSOR_COST;
	size_t n = stacks_n(&forest->scan->stacks) < STACKS_MIN
		? 1
		: MIN(cpus_usable(), (size_t)GROWERS_MAX);

	for (;;) {
		forest->growers[forest->n_growers++] =
			tree_grower_create(&forest->ground);
		if (forest->n_growers == n ||
			!reader_affords(forest->scan->reader, cost))
			break;
		forest->put_by += cost;
	}
}

static bool is_ground_of(const struct tree_ground *ground,
	const struct hist *hist, const struct tree_request *request)
{
	return ground->hist == hist &&
		ground->request.limit == request->limit &&
		ground->request.key == request->key &&
		!(ground->request.share < request->share) &&
		!(ground->request.share > request->share);
}

static void take_up(struct forest *forest, const struct hist *hist,
	const struct tree_request *request)
{
	if (is_ground_of(&forest->ground, hist, request))
		return;
	clear(forest);
	tree_ground_init(forest->names, hist, request, &forest->ground);
	/* Threads find names made. */
	array_each(&forest->ground.locations, location)
		resolver_symbol_name(forest->names->resolver, *location);
	find_growers(forest);
}

struct worker {
	struct forest *forest;
	struct tree_grower *grower;
	pthread_t thread;
};

static void *work(void *data)
{
	struct worker *worker = data;
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

/* What can't be started is done by the others. */
static void grow_all(struct forest *forest)
{
	struct worker workers[GROWERS_MAX];
	size_t started = 1, i;

	forest->next = 0;
	forest->n_nodes = 0;
	for (i = 0; i < forest->n_growers; i++)
		workers[i] = (struct worker){ .forest = forest,
			.grower = forest->growers[i] };
	while (started < MIN(forest->n_growers, forest->n_ready) &&
		pthread_create(&workers[started].thread, NULL, work,
			&workers[started]) == 0)
		started++;
	work(&workers[0]);
	for (i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

/* Or else it has a root at most. */
static bool has_tree(const struct forest *forest, const struct row *row)
{
	return MAX(row->self, row->children) >= forest->ground.limit;
}

/* ROW's tree, and those of the rows behind it that are shown. */
static void grow_from(struct forest *forest, const struct row *row)
{
	const struct hist *hist = forest->ground.hist;
	const struct row *end = hist->rows.at + hist->rows.n;
	size_t most = forest->n_growers > 1 ? AHEAD_MAX : 1;

	drop_ready(forest);
	for (; row < end && forest->n_ready < most; row++) {
		if (row->is_hidden || !has_tree(forest, row))
			continue;
		forest->ready[forest->n_ready].row = row;
		forest->ready[forest->n_ready++].tree = (struct tree){ 0 };
	}
	grow_all(forest);
}

static bool find_ready(
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
	take_up(forest, hist, request);
	if (!has_tree(forest, row)) {
		tree_grow(forest->growers[0], row, ret);
		return;
	}
	if (find_ready(forest, row, ret))
		return;
	grow_from(forest, row);
	find_ready(forest, row, ret);
}
