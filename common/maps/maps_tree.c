/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The treaps of address spaces; see maps_private.h. */
#include "config.h"

#include "common/maps/maps.h"
#include "common/maps/maps_private.h"

/*
 * Returns a node that may be changed in place in EPOCH: NODE or a copy of NODE.
 */
static uint32_t own_node(struct maps *maps, uint32_t node, uint32_t epoch)
{
	struct maps_node *copy;

	if (maps->nodes.at[node].epoch == epoch)
		return node;
	copy = array_push(&maps->nodes);
	*copy = maps->nodes.at[node];
	copy->epoch = epoch;
	return (uint32_t)maps->nodes.n - 1;
}

static uint32_t add_tree_node(struct maps *maps, const struct maps_node *new)
{
	struct maps_node *node = array_push(&maps->nodes);

	/* xorshift32 (Marsaglia) is random enough for tree heights. */
	maps->random ^= maps->random << 13;
	maps->random ^= maps->random >> 17;
	maps->random ^= maps->random << 5;
	*node = *new;
	node->priority = maps->random ^ (uint32_t)hash_seed;
	return (uint32_t)maps->nodes.n - 1;
}

struct tree_halves {
	uint32_t below, others;
};

/* Splits TREE into the nodes that start below ADDRESS and the others. */
static struct tree_halves split_tree(
	struct maps *maps, uint32_t tree, uint64_t address, uint32_t epoch)
{
	struct tree_halves halves = { NO_NODE, NO_NODE };

	if (tree == NO_NODE)
		return halves;
	tree = own_node(maps, tree, epoch);
	if (maps->nodes.at[tree].start < address) {
		halves = split_tree(
			maps, maps->nodes.at[tree].right, address, epoch);
		maps->nodes.at[tree].right = halves.below;
		halves.below = tree;
	} else {
		halves = split_tree(
			maps, maps->nodes.at[tree].left, address, epoch);
		maps->nodes.at[tree].left = halves.others;
		halves.others = tree;
	}
	return halves;
}

/* Joins two trees. All nodes of LEFT must be below all nodes of RIGHT. */
static uint32_t join_trees(
	struct maps *maps, uint32_t left, uint32_t right, uint32_t epoch)
{
	uint32_t inner;

	if (left == NO_NODE || right == NO_NODE)
		return left == NO_NODE ? right : left;
	if (maps->nodes.at[left].priority > maps->nodes.at[right].priority) {
		left = own_node(maps, left, epoch);
		inner = join_trees(
			maps, maps->nodes.at[left].right, right, epoch);
		maps->nodes.at[left].right = inner;
		return left;
	}
	right = own_node(maps, right, epoch);
	inner = join_trees(maps, left, maps->nodes.at[right].left, epoch);
	maps->nodes.at[right].left = inner;
	return right;
}

static uint32_t last_node(const struct maps *maps, uint32_t tree)
{
	while (tree != NO_NODE && maps->nodes.at[tree].right != NO_NODE)
		tree = maps->nodes.at[tree].right;
	return tree;
}

uint32_t maps_tree_overlap(
	const struct maps *maps, uint32_t tree, uint64_t start, uint64_t end)
{
	uint32_t found = NO_NODE;

	while (tree != NO_NODE) {
		const struct maps_node *node = &maps->nodes.at[tree];

		if (node->start < end) {
			found = tree;
			tree = node->right;
		} else {
			tree = node->left;
		}
	}
	if (found != NO_NODE && maps->nodes.at[found].end <= start)
		return NO_NODE;
	return found;
}

/* Returns TREE with its last node cut at END. */
static uint32_t trim_last_node(
	struct maps *maps, uint32_t tree, uint64_t end, uint32_t epoch)
{
	uint32_t last = last_node(maps, tree);
	struct tree_halves halves;

	if (last == NO_NODE || maps->nodes.at[last].end <= end)
		return tree;
	halves = split_tree(maps, tree, maps->nodes.at[last].start, epoch);
	last = own_node(maps, halves.others, epoch);
	maps->nodes.at[last].end = end;
	return join_trees(maps, halves.below, last, epoch);
}

uint32_t maps_tree_put(
	struct maps *maps, uint32_t root, const struct maps_node *new)
{
	struct tree_halves sides =
		split_tree(maps, root, new->start, new->epoch);
	struct tree_halves right =
		split_tree(maps, sides.others, new->end, new->epoch);
	uint32_t edge = last_node(
		maps, right.below != NO_NODE ? right.below : sides.below);
	struct maps_node covered = maps->nodes.at[edge];
	uint32_t tail = NO_NODE, above, below;

	/* The part of the node EDGE that is after NEW becomes a node. */
	if (edge != NO_NODE && covered.end > new->end)
		tail = add_tree_node(maps,
			&(struct maps_node){ .start = new->end,
				.end = covered.end,
				.mapping = covered.mapping,
				.epoch = new->epoch });
	above = join_trees(maps, tail, right.others, new->epoch);
	below = trim_last_node(maps, sides.below, new->start, new->epoch);
	below = join_trees(maps, below, add_tree_node(maps, new), new->epoch);
	return join_trees(maps, below, above, new->epoch);
}

uint32_t maps_tree_find(const struct maps *maps, uint32_t at, uint64_t address)
{
	while (at != NO_NODE) {
		const struct maps_node *node = &maps->nodes.at[at];

		if (address < node->start)
			at = node->left;
		else if (address >= node->end)
			at = node->right;
		else
			break;
	}
	return at;
}
