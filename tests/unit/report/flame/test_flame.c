/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/diff/diff_chance.h"
#include "report/flame/flame.h"
#include "report/flame/flame_colour.h"

#include <inttypes.h>

#include "common/util/alloc.h"
#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

enum { ALL, REST, MAIN, WORK, LEAF, FUNCTIONS };
static const char *const names[FUNCTIONS] = { "all", "[others]", "main", "work",
	"leaf" };
/* Numbers of the nodes behind root and rest. */
enum { AT_MAIN = 2, AT_WORK, AT_INNER, AT_LEAF };

static uint32_t add_node(
	struct flame *flame, uint32_t parent, uint32_t function)
{
	*array_push(&flame->nodes) =
		(struct flame_node){ parent, function, false };
	return (uint32_t)flame->nodes.n - 1;
}

static void add_cell(
	struct flame *flame, uint32_t slice, uint32_t node, uint64_t samples)
{
	*array_push(&flame->cells) = (struct flame_cell){ .slice = slice,
		.node = node,
		.samples = samples,
		.period = 10 * samples };
}

static void begin(struct flame *flame)
{
	size_t i;

	*flame = (struct flame){ 0 };
	for (i = 0; i < FUNCTIONS; i++)
		*array_push(&flame->functions) =
			(struct flame_function){ .name = xstrdup(names[i]),
				.level = i > REST ? '.' : 'c' };
	*array_push(&flame->tasks) =
		(struct flame_task){ .comm = xstrdup("worker"),
			.process = xstrdup("made") };
	add_node(flame, 0, ALL);
	add_node(flame, 0, REST);
}

/* Makes a flame graph: main calls work, which calls itself and leaf. */
static void make(struct flame *flame)
{
	begin(flame);
	add_node(flame, 0, MAIN);
	add_node(flame, AT_MAIN, WORK);
	add_node(flame, AT_WORK, WORK);
	add_node(flame, AT_INNER, LEAF);
}

static void list(const struct flame *flame, struct strbuf *out)
{
	strbuf_puts(out, "");
	array_each(&flame->cells, cell) {
		uint32_t at = cell->node;

		strbuf_printf(out, "%" PRIu32 ":", cell->slice);
		for (; at; at = flame->nodes.at[at].parent)
			strbuf_printf(out, " %s",
				flame->functions
					.at[flame->nodes.at[at].function]
					.name);
		strbuf_printf(out, " %" PRIu64 "\n", cell->samples);
	}
}

static void assert_cells(const struct flame *flame, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	list(flame, &text);
	assert_string_equal(text.at, wanted);
}

static void cells_of_equal_time_slice_and_node_are_added_up(
	void **state _unused_)
{
	struct flame flame;
	uint64_t length = 1;

	make(&flame);
	add_cell(&flame, 1, AT_LEAF, 2);
	add_cell(&flame, 0, AT_LEAF, 1);
	add_cell(&flame, 1, AT_LEAF, 3);
	flame_shrink(&flame, 100, 100, &length);
	assert_cells(
		&flame, "0: leaf work work main 1\n1: leaf work work main 5\n");
	assert_int_equal(flame.cells.at[1].period, 50);
	assert_int_equal(length, 1);
	assert_int_equal(flame.totals.n, 0);
	flame_deinit(&flame);
}

static void merged_waits_have_the_span_of_the_longest(void **state _unused_)
{
	struct flame flame;
	uint64_t length = 1;
	size_t i;

	make(&flame);
	for (i = 0; i < 3; i++)
		add_cell(&flame, 1, AT_LEAF, 3);
	flame.cells.at[1].span = 20;
	flame_shrink(&flame, 100, 100, &length);
	assert_int_equal(flame.cells.n, 1);
	assert_int_equal(flame.cells.at[0].period, 90);
	assert_int_equal(flame.cells.at[0].span, 30);
	flame_deinit(&flame);
}

static void time_slices_double_until_the_cells_fit_the_limit(
	void **state _unused_)
{
	struct flame flame;
	uint64_t length = 10;
	uint32_t i;

	make(&flame);
	for (i = 0; i < 8; i++)
		add_cell(&flame, i, AT_LEAF, 1);
	flame_shrink(&flame, 100, 3, &length);
	assert_cells(
		&flame, "0: leaf work work main 4\n1: leaf work work main 4\n");
	assert_int_equal(length, 40);
	flame_deinit(&flame);
}

static void a_single_time_slice_is_not_lengthened(void **state _unused_)
{
	struct flame flame;
	uint64_t length = 10;

	make(&flame);
	add_cell(&flame, 0, AT_MAIN, 1);
	add_cell(&flame, 0, AT_LEAF, 1);
	flame_shrink(&flame, 100, 1, &length);
	assert_int_equal(flame.cells.n, 2);
	assert_int_equal(length, 10);
	flame_deinit(&flame);
}

static uint64_t total_of(const struct flame *flame, const char *name)
{
	array_each(&flame->totals, total)
		if (!strcmp(flame->functions.at[total->function].name, name))
			return total->period;
	return 0;
}

static void small_nodes_become_one_node_of_others_below_their_caller(
	void **state _unused_)
{
	struct flame flame;
	uint64_t length = 1;

	make(&flame);
	add_cell(&flame, 0, AT_MAIN, 100);
	add_cell(&flame, 0, AT_WORK, 50);
	add_cell(&flame, 0, AT_LEAF, 3);
	add_cell(&flame, 0, AT_INNER, 2);
	/* Half of these nodes minus the rests: root, main. */
	flame_shrink(&flame, 5, 100, &length);
	assert_int_equal(flame.n_small, 3);
	assert_true(flame.nodes.n <= 5);
	flame_arrange(&flame);
	/* work has a node of its own; for leaf there is none. */
	assert_cells(&flame,
		"0: main 100\n0: [others] main 3\n0: work [others] main 52\n");
	assert_int_equal(total_of(&flame, "work"), 550);
	assert_int_equal(total_of(&flame, "main"), 1550);
	assert_int_equal(total_of(&flame, "leaf"), 30);
	flame_deinit(&flame);
}

/* As without a frame for the process: outermost functions are small. */
static void small_outermost_functions_become_others_below_the_root(
	void **state _unused_)
{
	struct flame flame;
	uint64_t length = 1;

	begin(&flame);
	add_cell(&flame, 0, FLAME_REST, 4);
	add_cell(&flame, 0, add_node(&flame, 0, MAIN), 100);
	add_cell(&flame, 0, add_node(&flame, 0, WORK), 2);
	add_cell(&flame, 0, add_node(&flame, 0, LEAF), 1);
	flame_shrink(&flame, 4, 100, &length);
	flame_arrange(&flame);
	/* The root has one child "[others]", with and without functions. */
	assert_cells(
		&flame, "0: [others] 5\n0: work [others] 2\n0: main 100\n");
	assert_int_equal(flame.nodes.n, 4);
	flame_deinit(&flame);
}

static void small_thread_states_count_for_the_function_above(
	void **state _unused_)
{
	struct flame flame;
	uint64_t length = 1;
	uint32_t blocked, inner;

	make(&flame);
	flame.functions.at[LEAF].level = FLAME_STATE;
	blocked = add_node(&flame, AT_MAIN, LEAF);
	inner = add_node(&flame, AT_INNER, WORK);
	add_cell(&flame, 0, AT_MAIN, 100);
	add_cell(&flame, 0, blocked, 1);
	add_cell(&flame, 0, AT_WORK, 50);
	add_cell(&flame, 0, AT_LEAF, 3);
	add_cell(&flame, 0, inner, 2);
	/* Half of these nodes minus the rests: root, main, work. */
	flame_shrink(&flame, 7, 100, &length);
	flame_arrange(&flame);
	assert_cells(&flame,
		"0: main 101\n0: work main 50\n0: work [others] work main 5\n");
	flame_deinit(&flame);
}

static void the_largest_functions_without_nodes_keep_their_totals(
	void **state _unused_)
{
	uint32_t n = FLAME_TOTALS_MAX + 5, i;
	struct flame flame;
	uint64_t length = 1;

	make(&flame);
	for (i = 0; i < n; i++) {
		array_push(&flame.functions)->name = xstrdup("f");
		add_cell(&flame, 0, add_node(&flame, AT_MAIN, FUNCTIONS + i),
			i + 1);
	}
	flame_shrink(&flame, 100, 100, &length);
	/* main has one, too. */
	assert_int_equal(flame.totals.n, FLAME_TOTALS_MAX);
	array_each(&flame.totals, total)
		assert_true(total->period > 10 * 6);
	flame_deinit(&flame);
}

/* Nested inlined functions, and states in them. */
static void small_inlined_functions_keep_their_own_samples(
	void **state _unused_)
{
	struct flame flame;
	uint64_t length = 1;
	uint32_t blocked;

	make(&flame);
	flame.nodes.at[AT_INNER].is_inlined = true;
	flame.nodes.at[AT_LEAF].is_inlined = true;
	flame.functions.at[LEAF].level = FLAME_STATE;
	blocked = add_node(&flame, AT_INNER, LEAF);
	add_cell(&flame, 0, AT_MAIN, 100);
	add_cell(&flame, 0, AT_WORK, 50);
	add_cell(&flame, 0, AT_INNER, 3);
	add_cell(&flame, 0, blocked, 2);
	flame_shrink(&flame, 6, 100, &length);
	assert_true(flame.n_small > 0);
	assert_cells(&flame,
		"0: main 100\n0: work main 50\n0: work [others] work main 5\n");
	flame_deinit(&flame);
}

static void a_flame_graph_does_not_depend_on_the_input_order(
	void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf one = { 0 }, other = { 0 };
	struct flame flame;
	uint32_t a, b;

	begin(&flame);
	a = add_node(&flame, 0, WORK);
	b = add_node(&flame, 0, MAIN);
	add_cell(&flame, 0, a, 1);
	add_cell(&flame, 0, b, 2);
	flame_arrange(&flame);
	list(&flame, &one);
	flame_deinit(&flame);

	begin(&flame);
	b = add_node(&flame, 0, MAIN);
	a = add_node(&flame, 0, WORK);
	add_cell(&flame, 0, b, 2);
	add_cell(&flame, 0, a, 1);
	flame_arrange(&flame);
	list(&flame, &other);
	assert_string_equal(one.at, other.at);
	assert_string_equal(one.at, "0: main 2\n0: work 1\n");
	flame_deinit(&flame);
}

static void a_function_is_before_an_inlined_function_of_the_same_name(
	void **state _unused_)
{
	struct flame flame;
	uint32_t a, b;

	begin(&flame);
	a = add_node(&flame, 0, WORK);
	b = add_node(&flame, 0, LEAF);
	free(flame.functions.at[WORK].name);
	flame.functions.at[WORK].name = xstrdup("leaf");
	flame.functions.at[WORK].is_inlined = true;
	add_cell(&flame, 0, a, 1);
	add_cell(&flame, 0, b, 2);
	flame_arrange(&flame);
	assert_cells(&flame, "0: leaf 2\n0: leaf 1\n");
	flame_deinit(&flame);
}

/* As in reports: different numbers in each tree, and the rest at any place. */
static void flame_graphs_are_merged_by_function_names(void **state _unused_)
{
	struct flame_part parts[2];
	struct flame before, after, both;

	make(&before);
	add_cell(&before, 3, AT_LEAF, 4);
	add_cell(&before, 5, AT_WORK, 1);
	add_cell(&before, 0, FLAME_REST, 1);
	flame_arrange(&before);
	begin(&after);
	add_node(&after, 0, MAIN);
	add_node(&after, AT_MAIN, LEAF);
	add_node(&after, AT_MAIN, WORK);
	add_cell(&after, 0, AT_MAIN + 1, 7);
	add_cell(&after, 0, AT_MAIN + 2, 2);
	flame_arrange(&after);
	parts[0] = (struct flame_part){ &before, 0 };
	parts[1] = (struct flame_part){ &after, 3 };
	flame_merge(parts, 2, &both);
	assert_cells(&both,
		"0: [others] 1\n0: work main 1\n0: leaf work work main 4\n"
		"0: leaf main 7\n0: work main 2\n");
	/* One of each: all, main, work, leaf, and the rest. */
	assert_int_equal(both.functions.n, 5);
	assert_int_equal(both.cells.at[2].event, 0);
	assert_int_equal(both.cells.at[3].event, 3);
	assert_int_equal(both.cells.at[1].node, both.cells.at[4].node);
	/* The task of all cells has no name; the other one has the names. */
	assert_int_equal(both.tasks.n, 2);
	array_each(&both.cells, cell)
		assert_string_equal(both.tasks.at[cell->task].comm, "");
	assert_string_equal(both.tasks.at[1].comm, "worker");
	assert_string_equal(both.tasks.at[1].process, "made");
	flame_deinit(&before);
	flame_deinit(&after);
	flame_deinit(&both);
}

/* Returns the colours by DSO and by module of the function MAIN of FLAME, in DSO. */
static struct colours {
	uint8_t by_dso, by_module;
} colours_of(struct flame *flame, const char *dso)
{
	struct flame_colouring colouring;
	struct colours colours;

	flame->functions.at[MAIN].dso = dso;
	flame_colours(flame, &colouring);
	colours = (struct colours){ colouring.by_dso[MAIN],
		colouring.by_module[MAIN] };
	flame_colouring_deinit(&colouring);
	return colours;
}

static void dsos_named_as_a_process_or_thread_have_the_program_colour(
	void **state _unused_)
{
	struct flame flame;

	make(&flame);
	assert_int_equal(
		colours_of(&flame, "/bin/made-2").by_dso, FLAME_COLOUR_PROGRAM);
	assert_int_equal(
		colours_of(&flame, "/bin/worker").by_dso, FLAME_COLOUR_PROGRAM);
	assert_true(colours_of(&flame, "/lib/libother.so").by_dso >=
		FLAME_COLOUR_MODULE);
	/* A command of the tree is not the name of a program. */
	flame.functions.at[WORK].level = 'c';
	assert_true(
		colours_of(&flame, "/bin/work").by_dso >= FLAME_COLOUR_MODULE);
	flame_deinit(&flame);
}

static bool is_system_colour(uint8_t colour)
{
	return colour >= FLAME_COLOUR_SYSTEM && colour < FLAME_COLOUR_JIT;
}

static void functions_of_one_module_have_its_colour(void **state _unused_)
{
	struct flame_function *function;
	struct flame flame;
	uint8_t sim, net;

	make(&flame);
	function = &flame.functions.at[MAIN];
	assert_int_equal(
		colours_of(&flame, "made").by_module, FLAME_COLOUR_PROGRAM);
	function->module = xstrdup("sim");
	sim = colours_of(&flame, "made").by_module;
	assert_int_equal(
		colours_of(&flame, "made").by_dso, FLAME_COLOUR_PROGRAM);
	assert_int_equal(colours_of(&flame, "libsim.so").by_module, sim);
	free(function->module);
	function->module = xstrdup("net");
	net = colours_of(&flame, "made").by_module;
	assert_int_not_equal(sim, net);
	function->is_system = true;
	assert_true(is_system_colour(colours_of(&flame, "made").by_module));
	function->is_system = false;
	free(function->module);
	function->module = NULL;
	/* Files of the system, except for the recorded program. */
	function->is_in_system_library = true;
	assert_true(
		is_system_colour(colours_of(&flame, "libz.so.1").by_module));
	assert_int_equal(
		colours_of(&flame, "made").by_module, FLAME_COLOUR_PROGRAM);
	assert_int_equal(
		colours_of(&flame, "[JIT] tid 7").by_dso, FLAME_COLOUR_JIT);
	function->level = 'k';
	assert_int_equal(
		colours_of(&flame, "[ext4]").by_module, FLAME_COLOUR_KERNEL);
	flame_deinit(&flame);
}

static void system_libraries_have_different_shades(void **state _unused_)
{
	struct flame flame;
	uint8_t libc, loader, cpp;

	make(&flame);
	libc = colours_of(&flame, "libc.so.6").by_dso;
	loader = colours_of(&flame, "ld-linux-x86-64.so.2").by_dso;
	cpp = colours_of(&flame, "libstdc++.so.6.0.30").by_dso;
	assert_true(is_system_colour(libc) && is_system_colour(loader) &&
		is_system_colour(cpp));
	assert_int_not_equal(libc, loader);
	assert_int_not_equal(libc, cpp);
	assert_int_not_equal(loader, cpp);
	flame_deinit(&flame);
}

static void functions_of_the_same_name_in_other_dsos_are_different(
	void **state _unused_)
{
	struct flame_part parts[3];
	struct flame flames[3], all;
	size_t i;

	for (i = 0; i < 3; i++) {
		begin(&flames[i]);
		flames[i].functions.at[MAIN].dso = i ? "new" : "old";
		flames[i].functions.at[MAIN].level = i == 2 ? 'k' : '.';
		add_cell(&flames[i], 0, add_node(&flames[i], 0, MAIN), 1);
		flame_arrange(&flames[i]);
		parts[i] = (struct flame_part){ &flames[i], 0 };
	}
	flame_merge(parts, 3, &all);
	assert_cells(&all, "0: main 1\n0: main 1\n0: main 1\n");
	flame_deinit(&all);
	for (i = 0; i < 3; i++)
		flame_deinit(&flames[i]);
}

static void unknown_functions_of_a_dso_are_merged(void **state _unused_)
{
	struct flame_part part;
	struct flame flame, merged;

	make(&flame);
	flame.functions.at[WORK].is_unknown = true;
	flame.functions.at[LEAF].is_unknown = true;
	add_cell(&flame, 0, AT_LEAF, 2);
	flame_arrange(&flame);
	part = (struct flame_part){ &flame, 0 };
	flame_merge(&part, 1, &merged);
	assert_cells(&merged, "0: [unknown] [unknown] [unknown] main 2\n");
	flame_deinit(&flame);
	flame_deinit(&merged);
}

static bool is_chance(const struct strbuf *bits, uint32_t i)
{
	return bits->at[i / 8] >> i % 8 & 1;
}

static uint32_t number_of(const struct flame *flame, const char *name)
{
	uint32_t i = 0;

	while (strcmp(flame->functions.at[i].name, name) != 0)
		i++;
	return i;
}

/* Event 0 is before, event 1 after: work has the samples that leaf lost. */
static void frames_that_differ_by_more_than_chance_are_marked(
	void **state _unused_)
{
	struct diff_chance_side sides[2] = { { 0, 1000, 10000, 0 },
		{ 1, 1000, 10000, 0 } };
	struct diff_chance chance = { 0 };
	struct flame flame;
	uint32_t i;

	make(&flame);
	add_cell(&flame, 0, AT_MAIN, 500);
	add_cell(&flame, 0, AT_INNER, 100);
	add_cell(&flame, 0, AT_LEAF, 400);
	add_cell(&flame, 0, AT_MAIN, 503);
	add_cell(&flame, 0, AT_INNER, 297);
	add_cell(&flame, 0, AT_LEAF, 200);
	for (i = 3; i < 6; i++)
		flame.cells.at[i].event = 1;
	flame_arrange(&flame);
	diff_chance_find(&flame, sides, STYLE_DIFF_SHARE, &chance);
	assert_false(is_chance(&chance.self, number_of(&flame, "work")));
	assert_false(is_chance(&chance.self, number_of(&flame, "leaf")));
	assert_true(is_chance(&chance.self, number_of(&flame, "main")));
	/* With its callee leaf, work has not changed. */
	assert_true(is_chance(&chance.total, number_of(&flame, "work")));
	assert_false(is_chance(&chance.total, number_of(&flame, "leaf")));
	/* Nodes: all, [others], main, work, work, leaf. */
	assert_int_equal(chance.nodes.n, 1);
	assert_int_equal((uint8_t)chance.nodes.at[0], 0x1f);
	diff_chance_deinit(&chance);
	flame_deinit(&flame);
}

static void functions_without_a_node_are_removed(void **state _unused_)
{
	struct flame flame;

	make(&flame);
	array_push(&flame.functions)->name = xstrdup("nobody");
	flame_arrange(&flame);
	assert_int_equal(flame.functions.n, FUNCTIONS);
	array_each(&flame.functions, function)
		assert_string_not_equal(function->name, "nobody");
	flame_deinit(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			cells_of_equal_time_slice_and_node_are_added_up),
		cmocka_unit_test(merged_waits_have_the_span_of_the_longest),
		cmocka_unit_test(
			time_slices_double_until_the_cells_fit_the_limit),
		cmocka_unit_test(a_single_time_slice_is_not_lengthened),
		cmocka_unit_test(
			small_nodes_become_one_node_of_others_below_their_caller),
		cmocka_unit_test(
			small_outermost_functions_become_others_below_the_root),
		cmocka_unit_test(
			small_thread_states_count_for_the_function_above),
		cmocka_unit_test(
			small_inlined_functions_keep_their_own_samples),
		cmocka_unit_test(
			the_largest_functions_without_nodes_keep_their_totals),
		cmocka_unit_test(
			a_flame_graph_does_not_depend_on_the_input_order),
		cmocka_unit_test(
			a_function_is_before_an_inlined_function_of_the_same_name),
		cmocka_unit_test(flame_graphs_are_merged_by_function_names),
		cmocka_unit_test(
			dsos_named_as_a_process_or_thread_have_the_program_colour),
		cmocka_unit_test(functions_of_one_module_have_its_colour),
		cmocka_unit_test(system_libraries_have_different_shades),
		cmocka_unit_test(
			functions_of_the_same_name_in_other_dsos_are_different),
		cmocka_unit_test(unknown_functions_of_a_dso_are_merged),
		cmocka_unit_test(
			frames_that_differ_by_more_than_chance_are_marked),
		cmocka_unit_test(functions_without_a_node_are_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
