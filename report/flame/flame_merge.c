/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/flame/flame_merge.h"

#include "common/util/alloc.h"
#include "common/util/hash.h"
#include "report/resolve/function_numbers.h"
#include "report/rows/hist.h"

struct flame_merging {
	struct flame *flame;
	const struct flame *part;
	uint32_t *functions,
		*nodes; /* by number in the part: number in .flame */
	struct hash_index by_function, by_node;
};

static bool is_same_flame_function(
	const struct flame_function *a, const struct flame_function *b)
{
	return a->level == b->level && string_is(a->name, b->name) &&
		string_is(a->dso ?: "", b->dso ?: "");
}

/*
 * All unknown code of a DSO gets one name, because addresses differ between
 * recordings.
 */
static void put_merged_name(
	const struct flame_function *function, struct strbuf *out)
{
	if (function->is_unknown)
		function_numbers_put_unknown(function->dso ?: "unknown", out);
	else
		strbuf_puts(out, function->name);
}

static uint32_t find_merged_function(
	struct flame_merging *merging, const struct flame_function *like)
{
	_cleanup_strbuf_ struct strbuf name = { 0 };
	struct flame *flame = merging->flame;
	struct flame_function function = {
		.dso = like->dso,
		.level = like->level,
	};
	uint32_t n = (uint32_t)flame->functions.n;
	uint64_t hash;

	put_merged_name(like, &name);
	function.name = name.at;
	hash = hash_words(hash_string(function.name),
		hash_string(like->dso ?: "") + (uint8_t)like->level);
	hash_each_match(&merging->by_function, hash, i)
		if (is_same_flame_function(&flame->functions.at[i], &function))
			return i;
	hash_insert(&merging->by_function, hash, n);
	function.name = xstrdup(function.name);
	*array_push(&flame->functions) = function;
	return n;
}

static uint32_t find_merged_node(
	struct flame_merging *merging, struct flame_node node)
{
	struct flame *flame = merging->flame;
	uint64_t hash = hash_words(
		node.parent, (uint64_t)node.function << 1 | node.is_inlined);
	uint32_t n = (uint32_t)flame->nodes.n;

	hash_each_match(&merging->by_node, hash, i) {
		const struct flame_node *at = &flame->nodes.at[i];

		if (at->parent == node.parent &&
			at->function == node.function &&
			at->is_inlined == node.is_inlined)
			return i;
	}
	hash_insert(&merging->by_node, hash, n);
	*array_push(&flame->nodes) = node;
	return n;
}

/* Root and rest have the numbers that flame_shrink() expects. */
static void begin_merge(
	struct flame_merging *merging, const struct flame *first)
{
	const struct flame_function rest = { .name = (char *)HIST_REST,
		.level = 'c' };
	const struct flame_node *root = &first->nodes.at[0];

	*array_push(&merging->flame->nodes) = (struct flame_node){ 0,
		find_merged_function(
			merging, &first->functions.at[root->function]),
		false };
	find_merged_node(merging,
		(struct flame_node){
			0, find_merged_function(merging, &rest), false });
	array_push(&merging->flame->tasks)->comm = xstrdup("");
}

static void merge_part_nodes(struct flame_merging *merging)
{
	uint32_t i;

	for (i = 0; i < merging->part->functions.n; i++)
		merging->functions[i] = find_merged_function(
			merging, &merging->part->functions.at[i]);
	for (i = 1; i < merging->part->nodes.n; i++) {
		const struct flame_node *node = &merging->part->nodes.at[i];

		merging->nodes[i] = find_merged_node(merging,
			(struct flame_node){ merging->nodes[node->parent],
				merging->functions[node->function],
				node->is_inlined });
	}
}

static void merge_part(
	struct flame_merging *merging, const struct flame_part *part)
{
	const struct flame *flame = part->flame;

	merging->part = flame;
	merging->functions =
		xcalloc(flame->functions.n, sizeof(*merging->functions));
	merging->nodes = xcalloc(flame->nodes.n, sizeof(*merging->nodes));
	merge_part_nodes(merging);
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
	begin_merge(&merging, parts[0].flame);
	for (i = 0; i < n; i++)
		merge_part(&merging, &parts[i]);
	hash_free(&merging.by_function);
	hash_free(&merging.by_node);
	flame_shrink(ret, FLAME_NODES_MAX, FLAME_CELLS_MAX, &no_slices);
	flame_arrange(ret);
}
