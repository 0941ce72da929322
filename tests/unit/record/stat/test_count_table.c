/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics and the layout of counts, from made readings. */
#include "config.h"

#include "record/stat/count_table.h"

#include "record/stat/count_lines.h"
#include "record/stat/count_runs.h"
#include "tests/unit/testing.h"

static char names[][32] = { "task-clock", "cycles", "instructions", "branches",
	"branch-misses", "page-faults", "L1-dcache-load-misses",
	"L1-dcache-loads", "instructions:u" };
static struct selected events[] = {
	{ .attr = { PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK } },
	{ .attr = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES } },
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_INSTRUCTIONS } },
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS } },
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_BRANCH_MISSES } },
	{ .attr = { PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS } },
	{ .attr = { PERF_TYPE_HW_CACHE, .config = 0x10000 } },
	{ .attr = { PERF_TYPE_HW_CACHE, .config = 0 } },
	{ .attr = { PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
		  .exclude_kernel = 1 } },
};

static void add_row(
	struct count_table *table, size_t event, double value, double share)
{
	events[event].name = names[event];
	table->n_places = 1;
	*array_push(&table->rows) = (struct count_row){ .event = &events[event],
		.value = value,
		.enabled_ns = 1e6,
		.running_ns = 1e4 * share };
}

static void assert_table(
	struct count_table *table, bool has_thousands, const char *expected)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	table->elapsed_ns = 4e9;
	count_lines_text(table, has_thousands, &out);
	assert_string_equal(out.at, expected);
	count_table_free(table);
}

static void counts_have_rates_and_ratios(void **state)
{
	struct count_table table = { 0 };

	(void)state;
	add_row(&table, 0, 2e9, 100);
	add_row(&table, 1, 6e9, 100);
	add_row(&table, 2, 3e9, 100);
	add_row(&table, 3, 1e9, 100);
	add_row(&table, 4, 5e6, 100);
	add_row(&table, 5, 1234, 100);
	add_row(&table, 6, 25, 100);
	add_row(&table, 7, 100, 100);
	add_row(&table, 8, 3e9, 100);
	assert_table(&table, true,
		"          2,000.00 msec task-clock                       #    "
		"0.500 CPUs utilized\n"
		"     6,000,000,000      cycles                           #    "
		"3.000 GHz\n"
		"     3,000,000,000      instructions                     #    "
		" "
		"0.50 insn per cycle\n"
		"     1,000,000,000      branches                         #  "
		"500.000 M/sec\n"
		"         5,000,000      branch-misses                    #    "
		" "
		"0.50% of all branches\n"
		"             1,234      page-faults                      #  "
		"617.000 /sec\n"
		"                25      L1-dcache-load-misses            #    "
		"25.00% of all L1-dcache accesses\n"
		"               100      L1-dcache-loads                  #   "
		"50.000 /sec\n"
		"     3,000,000,000      instructions:u                   #    "
		"1.500 G/sec\n");
}

static void the_share_of_the_time_is_shown(void **state)
{
	struct count_table table = { 0 };

	(void)state;
	add_row(&table, 1, 1234567, 50);
	add_row(&table, 2, 999, 100);
	assert_table(&table, false,
		"           1234567      cycles                                "
		"                               (50.00%)\n"
		"               999      instructions                     #    "
		" "
		"0.00 insn per cycle\n");
}

static void missing_counts_are_named(void **state)
{
	struct count_table table = { 0 };

	(void)state;
	add_row(&table, 1, 0, 100);
	add_row(&table, 0, 0, 0);
	table.rows.at[0].state = COUNT_UNSUPPORTED;
	table.rows.at[1].state = COUNT_NONE;
	assert_table(&table, true,
		"   <not supported>      cycles\n"
		"     <not counted> msec task-clock\n");
}

static void several_runs_have_a_mean_and_a_deviation(void **state)
{
	static const double values[] = { 90, 110, 100 };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_runs runs = { 0 };
	struct count_table table;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		table = (struct count_table){ .elapsed_ns = values[i] };
		add_row(&table, 5, values[i], 50);
		table.rows.at[0].state = i == 1 ? COUNT_VALID : COUNT_NONE;
		assert_no_error(count_runs_take(&runs, &table));
		if (i < 2)
			count_table_free(&table);
	}
	/* The standard deviation is 10, that of the mean 10 / sqrt(3). */
	count_lines_csv(&table, ";", &out);
	assert_string_equal(out.at, "100;;page-faults;5.77%;500000;50.00;;\n");
	strbuf_clear(&out);
	count_lines_json(&table, &out);
	assert_string_equal(out.at,
		"{\"counter-value\": \"100.000000\", \"unit\": \"\", "
		"\"event\": \"page-faults\", \"variance\": 5.77, "
		"\"event-runtime\": 500000, \"pcnt-running\": 50.00, "
		"\"metric-value\": 0.000000, \"metric-unit\": \"\"}\n");
	assert_true(table.elapsed_ns == 100);
	count_table_free(&table);
	count_runs_free(&runs);
}

static void places_have_rows_of_their_own(void **state)
{
	static const struct count_place cpus[] = { { .cpu = 0 },
		{ .cpu = 12 } };
	static const struct count_place thread = { -1, 4711, "a\033b" };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = {
		.elapsed_ns = 2e9, .is_interval = true, .end_ns = 61.5e9
	};
	size_t i;

	(void)state;
	add_row(&table, 0, 1e9, 100);
	add_row(&table, 0, 2e9, 100);
	add_row(&table, 5, 8, 100);
	add_row(&table, 5, 8, 100);
	add_row(&table, 1, 0, 100);
	add_row(&table, 1, 0, 100);
	table.n_places = 2;
	for (i = 0; i < table.rows.n; i++)
		table.rows.at[i].place = &cpus[i % 2];
	table.rows.at[4].state = COUNT_ABSENT;
	table.rows.at[5].state = COUNT_UNSUPPORTED;
	count_lines_header(&table, &out);
	count_lines_text(&table, false, &out);
	assert_string_equal(out.at,
		"#           time CPU                    counts unit events\n"
		"    61.500000000 CPU0                  1000.00 msec "
		"task-clock "
		"                      #    0.500 CPUs utilized\n"
		"    61.500000000 CPU12                 2000.00 msec "
		"task-clock "
		"                      #    1.000 CPUs utilized\n"
		"    61.500000000 CPU0                        8      "
		"page-faults "
		"                     #    8.000 /sec\n"
		"    61.500000000 CPU12                       8      "
		"page-faults "
		"                     #    4.000 /sec\n"
		"    61.500000000 CPU12         <not supported>      cycles\n");
	table.rows.n = 1;
	table.rows.at[0].place = &thread;
	strbuf_clear(&out);
	count_lines_header(&table, &out);
	count_lines_text(&table, false, &out);
	count_lines_csv(&table, ",", &out);
	count_lines_json(&table, &out);
	assert_string_equal(out.at,
		"#           time             comm-pid                  counts "
		"unit events\n"
		"    61.500000000              a\\x1bb-4711             "
		"1000.00 "
		"msec task-clock                       #    0.500 CPUs "
		"utilized\n"
		"    61.500000000,a\\x1bb-4711,1000.00,msec,task-clock,1000000,"
		"100.00,0.500,CPUs utilized\n"
		"{\"interval\": 61.500000000, \"thread\": \"a\\u001bb-4711\", "
		"\"counter-value\": \"1000.000000\", \"unit\": \"msec\", "
		"\"event\": \"task-clock\", \"event-runtime\": 1000000, "
		"\"pcnt-running\": 100.00, \"metric-value\": 0.500000, "
		"\"metric-unit\": \"CPUs utilized\"}\n");
	count_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_have_rates_and_ratios),
		cmocka_unit_test(the_share_of_the_time_is_shown),
		cmocka_unit_test(missing_counts_are_named),
		cmocka_unit_test(places_have_rows_of_their_own),
		cmocka_unit_test(several_runs_have_a_mean_and_a_deviation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
