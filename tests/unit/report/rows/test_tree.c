/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/forest.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "report/rows/fields.h"
#include "tests/unit/make_report.h"
#include "tests/unit/testing.h"

static const struct made_stack stacks[] = {
	{ 50, { MADE_LEAF, MADE_WORK, MADE_MAIN } },
	{ 30, { MADE_WORK, MADE_MAIN } },
	{ 15, { MADE_LEAF + 8, MADE_MAIN + 8 } },
	{ 5, { MADE_WORK + 8, MADE_WORK, MADE_MAIN } },
};

/* "name period" a line, indented by depth; "= n" where n end there. */
static void list_nodes(const struct tree *tree, uint32_t at, int depth,
	const struct field_names *names, struct strbuf *out)
{
	for (; at != TREE_NONE; at = tree->nodes.at[at].sibling) {
		const struct tree_node *node = &tree->nodes.at[at];

		strbuf_printf(out, "%*s%s %" PRIu64, 2 * depth, "",
			resolver_symbol_name(names->resolver, node->location),
			node->period);
		if (node->ends)
			strbuf_printf(out, " = %" PRIu64, node->ends);
		strbuf_putc(out, '\n');
		list_nodes(tree, node->child, depth + 1, names, out);
	}
}

struct wish {
	struct tree_request request;
	const char *row; /* of this symbol */
	bool callers_first;
};

static void assert_tree(const struct made_stack *from, size_t n,
	const struct wish *wish, const char *wanted)
{
	struct hist_request request = {
		.fields = { field_find("sym") },
		.n_fields = 1,
		.has_children = true,
		.wants_trees = true,
		.is_inverted = wish->callers_first,
	};
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct made_report report;
	struct forest *forest;
	struct hist hist;
	struct tree tree;

	make_report(from, n,
		(struct scan_request){ .wants_chains = true, .wants_tid = true },
		&report);
	request.filter = &report.filter;
	hist_build(&report.scan, 0, &request, &report.names, &hist);
	forest = forest_create(&report.scan, &report.names);
	array_each(&hist.rows, row) {
		if (!string_is(resolver_symbol_name(
				       report.names.resolver, row->location),
			    wish->row))
			continue;
		GARBAGE(tree);
		forest_take(forest, &hist, row, &wish->request, &tree);
		list_nodes(&tree, tree.nodes.at[0].child, 0, &report.names,
			&found);
		tree_deinit(&tree);
	}
	assert_text(&found, wanted);
	forest_destroy(forest);
	hist_deinit(&hist);
	made_report_deinit(&report);
}

#define ASSERT_TREE(from, wanted, ...)                                         \
	assert_tree(from, ARRAY_SIZE(from), &(struct wish){ __VA_ARGS__ },     \
		wanted)

static void from_callers_down_to_callees(void **state _unused_)
{
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"    work 5 = 5\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true);
}

static void a_sampled_row_has_all_of_its_callers_above_it(void **state _unused_)
{
	ASSERT_TREE(stacks,
		"main 65\n"
		"  work 50\n"
		"    leaf 50 = 50\n"
		"  leaf 15 = 15\n",
		.row = "leaf", .callers_first = true);
}

static void from_callees_up_to_callers(void **state _unused_)
{
	ASSERT_TREE(stacks,
		"leaf 65\n"
		"  work 50\n"
		"    main 50 = 50\n"
		"  main 15 = 15\n",
		.row = "leaf");
}

static void branches_below_the_limit_are_dropped(void **state _unused_)
{
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n",
		.row = "main", .callers_first = true,
		.request.limit = 16);
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true,
		.request.limit = 15);
	ASSERT_TREE(stacks, "", .row = "main", .callers_first = true,
		.request.limit = 101);
}

static void equal_branches_are_in_the_order_of_their_names(
	void **state _unused_)
{
	const struct made_stack several[] = {
		{ 10, { MADE_WORK, MADE_MAIN } },
		{ 10, { MADE_LEAF, MADE_MAIN } },
	};

	ASSERT_TREE(several,
		"main 20\n"
		"  leaf 10 = 10\n"
		"  work 10 = 10\n",
		.row = "main", .callers_first = true);
}

static void different_addresses_of_a_function_are_one_branch(
	void **state _unused_)
{
	const struct made_stack several[] = {
		{ 10, { MADE_LEAF + 1, MADE_WORK + 1, MADE_MAIN + 1 } },
		{ 20, { MADE_LEAF + 2, MADE_WORK + 2, MADE_MAIN + 2 } },
		{ 40, { MADE_LEAF + 3, MADE_WORK + 3, MADE_MAIN + 3 } },
	};

	ASSERT_TREE(several,
		"leaf 70\n"
		"  work 70\n"
		"    main 70 = 70\n",
		.row = "leaf");
}

static void fractal_trees_drop_small_parts_of_a_branch(void **state _unused_)
{
	/* Below work there are 55: 5 is less than a tenth, 15 of 100 not. */
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true,
		.request.share = 0.1);
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"    work 5 = 5\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true,
		.request.share = 0.09);
}

/* --- the same, one stack after the other ---------------------------------- */

static const char *const names[] = { "main", "work", "leaf" };

struct way {
	uint64_t period;
	size_t n, at;
	const char *names[6];
};

static bool is_name(uint64_t address, const char *name)
{
	return string_is(names[(address - MADE_START) / 0x100], name);
}

/* The part of STACK that belongs to WISH's row. */
static struct way way_of(const struct made_stack *stack, const struct wish *wish)
{
	struct way way = { .period = stack->period };
	bool is_in = is_name(stack->chain[0], wish->row);
	size_t n = 0, i;

	while (n < 6 && stack->chain[n])
		n++;
	for (i = 0; i < n; i++) {
		uint64_t address =
			stack->chain[wish->callers_first ? n - 1 - i : i];

		is_in = is_in || is_name(address, wish->row);
		if (is_in)
			way.names[way.n++] =
				names[(address - MADE_START) / 0x100];
	}
	return way;
}

/* As list_nodes(). WAYS have come as far as .at. */
static void list_ways(
	struct way *ways, size_t n, int depth, struct strbuf *out)
{
	uint64_t sums[ARRAY_SIZE(names)] = { 0 }, ends[ARRAY_SIZE(names)] = { 0 };
	bool is_done[ARRAY_SIZE(names)] = { 0 };
	size_t i, j, best;

	for (i = 0; i < n; i++)
		for (j = 0; ways[i].at < ways[i].n && j < ARRAY_SIZE(names); j++) {
			if (ways[i].names[ways[i].at] != names[j])
				continue;
			sums[j] += ways[i].period;
			if (ways[i].at + 1 == ways[i].n)
				ends[j] += ways[i].period;
		}
	for (;;) {
		_cleanup_free_ struct way *some = xcalloc(n, sizeof(*some));
		size_t n_some = 0;

		best = ARRAY_SIZE(names);
		for (j = 0; j < ARRAY_SIZE(names); j++)
			if (sums[j] && !is_done[j] &&
				(best == ARRAY_SIZE(names) ||
					sums[j] > sums[best] ||
					(sums[j] == sums[best] &&
						strcmp(names[j], names[best]) <
							0)))
				best = j;
		if (best == ARRAY_SIZE(names))
			return;
		is_done[best] = true;
		strbuf_printf(out, "%*s%s %" PRIu64, 2 * depth, "", names[best],
			sums[best]);
		if (ends[best])
			strbuf_printf(out, " = %" PRIu64, ends[best]);
		strbuf_putc(out, '\n');
		for (i = 0; i < n; i++) {
			if (ways[i].at >= ways[i].n ||
				ways[i].names[ways[i].at] != names[best])
				continue;
			some[n_some] = ways[i];
			some[n_some++].at++;
		}
		list_ways(some, n_some, depth + 1, out);
	}
}

static void assert_ways(const struct made_stack *from, size_t n,
	const struct wish *wish)
{
	_cleanup_free_ struct way *ways = xcalloc(n, sizeof(*ways));
	_cleanup_strbuf_ struct strbuf wanted = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		ways[i] = way_of(&from[i], wish);
	strbuf_puts(&wanted, "");
	list_ways(ways, n, 0, &wanted);
	assert_tree(from, n, wish, wanted.at);
}

static void what_stacks_begin_with_alike_is_counted_for_each(
	void **state _unused_)
{
	static const uint64_t functions[] = { MADE_MAIN, MADE_WORK, MADE_LEAF };
	struct made_stack many[300] = { 0 };
	uint32_t random = 1;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		many[i].period = 1 + i % 7;
		/* Contexts that rows don't tell apart. */
		many[i].tid = MADE_PID + i % 2;
		random = random * 1664525 + 1013904223;
		for (j = 0; j <= (random >> 28) % 6; j++) {
			random = random * 1664525 + 1013904223;
			many[i].chain[j] = functions[(random >> 24) % 3] +
				(random >> 20) % 2;
		}
	}
	for (i = 0; i < 2 * ARRAY_SIZE(names); i++)
		assert_ways(many, ARRAY_SIZE(many),
			&(struct wish){ .row = names[i / 2],
				.callers_first = i % 2 });
}

/* Numbers of more than seven bits that have a byte in common. */
static void many_functions_are_told_apart(void **state _unused_)
{
	enum { CALLERS = 200 };
	const uint64_t callees[4][2] = { { MADE_LEAF }, { MADE_WORK },
		{ MADE_LEAF, MADE_WORK }, { MADE_WORK, MADE_LEAF } };
	_cleanup_strbuf_ struct strbuf wanted = { 0 };
	struct made_stack many[4 * CALLERS] = { 0 };
	struct wish wish = { .row = "main", .callers_first = true };
	size_t i, n;

	strbuf_printf(&wanted, "main %d\n", 4 * CALLERS);
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		uint64_t caller = MADE_NO_MAPPING + i / 4;
		uint64_t *chain = many[i].chain;

		n = i % 4 < 2 ? 1 : 2;
		many[i].period = 1;
		memcpy(chain, callees[i % 4], n * sizeof(*chain));
		chain[n] = caller;
		chain[n + 1] = MADE_MAIN;
		if (i % 4 == 0)
			strbuf_printf(&wanted,
				"  0x%016" PRIx64 " 4\n"
				"    leaf 2 = 1\n      work 1 = 1\n"
				"    work 2 = 1\n      leaf 1 = 1\n",
				caller);
	}
	assert_tree(many, ARRAY_SIZE(many), &wish, wanted.at);
}

static void the_root_is_all_of_the_row(void **state _unused_)
{
	struct hist_request request = {
		.fields = { field_find("sym") },
		.n_fields = 1,
		.wants_trees = true,
	};
	const struct tree_request any = { 0 };
	struct made_report report;
	struct forest *forest;
	struct hist hist;
	struct tree tree;

	make_report(stacks, ARRAY_SIZE(stacks),
		(struct scan_request){ .wants_chains = true }, &report);
	request.filter = &report.filter;
	hist_build(&report.scan, 0, &request, &report.names, &hist);
	forest = forest_create(&report.scan, &report.names);
	forest_take(forest, &hist, &hist.rows.at[0], &any, &tree);
	assert_int_equal(tree.nodes.at[0].period, 65);
	assert_int_equal(tree.nodes.at[0].samples, 2);
	assert_int_equal(tree.nodes.at[0].ends, 0);
	assert_int_equal(tree.nodes.at[0].parent, TREE_NONE);
	tree_deinit(&tree);
	forest_destroy(forest);
	/* There was no memory for what is in how many stacks. */
	array_free(&hist.through);
	forest = forest_create(&report.scan, &report.names);
	forest_take(forest, &hist, &hist.rows.at[0], &any, &tree);
	assert_int_equal(tree.nodes.n, 1);
	tree_deinit(&tree);
	forest_destroy(forest);
	hist_deinit(&hist);
	made_report_deinit(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_callers_down_to_callees),
		cmocka_unit_test(a_sampled_row_has_all_of_its_callers_above_it),
		cmocka_unit_test(from_callees_up_to_callers),
		cmocka_unit_test(branches_below_the_limit_are_dropped),
		cmocka_unit_test(
			equal_branches_are_in_the_order_of_their_names),
		cmocka_unit_test(
			different_addresses_of_a_function_are_one_branch),
		cmocka_unit_test(fractal_trees_drop_small_parts_of_a_branch),
		cmocka_unit_test(
			what_stacks_begin_with_alike_is_counted_for_each),
		cmocka_unit_test(many_functions_are_told_apart),
		cmocka_unit_test(the_root_is_all_of_the_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
