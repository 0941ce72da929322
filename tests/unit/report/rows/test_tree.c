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

/*
 * Writes a line "name period" per node, indented by depth; "= n" if stacks of n
 * end there.
 */
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

struct tree_case {
	struct tree_request request;
	const char *row; /* the symbol of the row */
	bool callers_first;
};

static void assert_tree(const struct made_stack *from, size_t n,
	const struct tree_case *tested, const char *wanted)
{
	struct hist_request request = {
		.fields = { field_find("sym") },
		.n_fields = 1,
		.has_children = true,
		.wants_trees = true,
		.is_inverted = tested->callers_first,
	};
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct made_report report;
	struct forest *forest;
	struct hist hist;
	struct tree tree;

	make_report(from, n,
		(struct scan_request){
			.wants_chains = true, .wants_tid = true },
		&report);
	request.filter = &report.filter;
	hist_build(&report.scan, 0, &request, &report.names, &hist);
	forest = forest_create(&report.scan, &report.names);
	array_each(&hist.rows, row) {
		if (!string_is(resolver_symbol_name(
				       report.names.resolver, row->location),
			    tested->row))
			continue;
		GARBAGE(tree);
		forest_take(forest, &hist, row, &tested->request, &tree);
		list_nodes(&tree, tree.nodes.at[0].child, 0, &report.names,
			&found);
		tree_deinit(&tree);
	}
	assert_text(&found, wanted);
	forest_destroy(forest);
	hist_deinit(&hist);
	made_report_deinit(&report);
}

#define ASSERT_TREE(from, wanted, ...)      \
	assert_tree(from, ARRAY_SIZE(from), \
		&(struct tree_case){ __VA_ARGS__ }, wanted)

static void a_call_tree_can_begin_with_callers(void **state _unused_)
{
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"    work 5 = 5\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true);
}

static void a_tree_that_begins_with_callers_has_all_callers_of_its_row(
	void **state _unused_)
{
	ASSERT_TREE(stacks,
		"main 65\n"
		"  work 50\n"
		"    leaf 50 = 50\n"
		"  leaf 15 = 15\n",
		.row = "leaf", .callers_first = true);
}

static void a_call_tree_can_begin_with_callees(void **state _unused_)
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
		.row = "main", .callers_first = true, .request.limit = 16);
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true, .request.limit = 15);
	ASSERT_TREE(stacks, "", .row = "main", .callers_first = true,
		.request.limit = 101);
}

static void branches_of_equal_period_are_in_the_order_of_their_names(
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

static void fractal_call_trees_drop_small_parts_of_a_branch(
	void **state _unused_)
{
	/*
	 * The children of work have 55: 5 is less than 10 % of it. Of 100, 15
	 * is more.
	 */
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true, .request.share = 0.1);
	ASSERT_TREE(stacks,
		"main 100\n"
		"  work 85 = 30\n"
		"    leaf 50 = 50\n"
		"    work 5 = 5\n"
		"  leaf 15 = 15\n",
		.row = "main", .callers_first = true, .request.share = 0.09);
}

/* --- the same trees, computed stack by stack ----------------------------- */

static const char *const names[] = { "main", "work", "leaf" };

struct path {
	uint64_t period;
	size_t n, at;
	const char *names[6];
};

static bool is_name(uint64_t address, const char *name)
{
	return string_is(names[(address - MADE_START) / 0x100], name);
}

/* Returns the part of STACK that belongs to the row of TESTED. */
static struct path path_of(
	const struct made_stack *stack, const struct tree_case *tested)
{
	struct path path = { .period = stack->period };
	bool is_in = is_name(stack->chain[0], tested->row);
	size_t n = 0, i;

	while (n < 6 && stack->chain[n])
		n++;
	for (i = 0; i < n; i++) {
		uint64_t address =
			stack->chain[tested->callers_first ? n - 1 - i : i];

		is_in = is_in || is_name(address, tested->row);
		if (is_in)
			path.names[path.n++] =
				names[(address - MADE_START) / 0x100];
	}
	return path;
}

/*
 * Writes the lines of list_nodes(). The first .at names of PATHS are already
 * written.
 */
static void list_paths(
	struct path *paths, size_t n, int depth, struct strbuf *out)
{
	uint64_t sums[ARRAY_SIZE(names)] = { 0 },
		 ends[ARRAY_SIZE(names)] = { 0 };
	bool is_done[ARRAY_SIZE(names)] = { 0 };
	size_t i, j, best;

	for (i = 0; i < n; i++)
		for (j = 0; paths[i].at < paths[i].n && j < ARRAY_SIZE(names);
			j++) {
			if (paths[i].names[paths[i].at] != names[j])
				continue;
			sums[j] += paths[i].period;
			if (paths[i].at + 1 == paths[i].n)
				ends[j] += paths[i].period;
		}
	for (;;) {
		_cleanup_free_ struct path *some = xcalloc(n, sizeof(*some));
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
			if (paths[i].at >= paths[i].n ||
				paths[i].names[paths[i].at] != names[best])
				continue;
			some[n_some] = paths[i];
			some[n_some++].at++;
		}
		list_paths(some, n_some, depth + 1, out);
	}
}

static void assert_paths(
	const struct made_stack *from, size_t n, const struct tree_case *tested)
{
	_cleanup_free_ struct path *paths = xcalloc(n, sizeof(*paths));
	_cleanup_strbuf_ struct strbuf wanted = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		paths[i] = path_of(&from[i], tested);
	strbuf_puts(&wanted, "");
	list_paths(paths, n, 0, &wanted);
	assert_tree(from, n, tested, wanted.at);
}

static void a_prefix_shared_by_several_stacks_counts_for_each_stack(
	void **state _unused_)
{
	static const uint64_t functions[] = { MADE_MAIN, MADE_WORK, MADE_LEAF };
	struct made_stack many[300] = { 0 };
	uint32_t random = 1;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(many); i++) {
		many[i].period = 1 + i % 7;
		/* Different contexts of the same rows. */
		many[i].tid = MADE_PID + i % 2;
		random = random * 1664525 + 1013904223;
		for (j = 0; j <= (random >> 28) % 6; j++) {
			random = random * 1664525 + 1013904223;
			many[i].chain[j] = functions[(random >> 24) % 3] +
				(random >> 20) % 2;
		}
	}
	for (i = 0; i < 2 * ARRAY_SIZE(names); i++)
		assert_paths(many, ARRAY_SIZE(many),
			&(struct tree_case){
				.row = names[i / 2], .callers_first = i % 2 });
}

/* Locations whose numbers have several bytes, with a common byte. */
static void many_functions_of_a_call_tree_are_separate_branches(
	void **state _unused_)
{
	enum { CALLERS = 200 };
	const uint64_t callees[4][2] = { { MADE_LEAF }, { MADE_WORK },
		{ MADE_LEAF, MADE_WORK }, { MADE_WORK, MADE_LEAF } };
	_cleanup_strbuf_ struct strbuf wanted = { 0 };
	struct made_stack many[4 * CALLERS] = { 0 };
	struct tree_case tested = { .row = "main", .callers_first = true };
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
	assert_tree(many, ARRAY_SIZE(many), &tested, wanted.at);
}

static void the_root_of_a_call_tree_has_the_period_of_its_row(
	void **state _unused_)
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
	/* Without memory for the periods of locations, there are no trees. */
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
		cmocka_unit_test(a_call_tree_can_begin_with_callers),
		cmocka_unit_test(
			a_tree_that_begins_with_callers_has_all_callers_of_its_row),
		cmocka_unit_test(a_call_tree_can_begin_with_callees),
		cmocka_unit_test(branches_below_the_limit_are_dropped),
		cmocka_unit_test(
			branches_of_equal_period_are_in_the_order_of_their_names),
		cmocka_unit_test(
			different_addresses_of_a_function_are_one_branch),
		cmocka_unit_test(
			fractal_call_trees_drop_small_parts_of_a_branch),
		cmocka_unit_test(
			a_prefix_shared_by_several_stacks_counts_for_each_stack),
		cmocka_unit_test(
			many_functions_of_a_call_tree_are_separate_branches),
		cmocka_unit_test(
			the_root_of_a_call_tree_has_the_period_of_its_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
