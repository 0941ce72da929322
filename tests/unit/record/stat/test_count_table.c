/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics and the layout of counts, from made readings. */
#include "config.h"

#include "record/stat/count_table.h"

#include "record/stat/count_lines.h"
#include "record/stat/count_runs.h"
#include "tests/unit/testing.h"

static char names[][32] = { "task-clock", "cycles", "instructions", "branches",
	"branch-misses", "page-faults", "L1-dcache-load-misses",
	"L1-dcache-loads", "instructions:u", "stalled-cycles-frontend",
	"stalled-cycles-backend", "cache-misses", "cache-references" };
static struct selection_event events[] = {
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
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_STALLED_CYCLES_FRONTEND } },
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_STALLED_CYCLES_BACKEND } },
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_CACHE_MISSES } },
	{ .attr = { PERF_TYPE_HARDWARE,
		  .config = PERF_COUNT_HW_CACHE_REFERENCES } },
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

static void counts_are_shown_with_rates_and_ratios(void **state)
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
	add_row(&table, 11, 1e6, 100);
	add_row(&table, 12, 4e6, 100);
	assert_table(&table, true,
		"          2,000.00 msec task-clock                       #    "
		"0.500 CPUs utilized\n"
		"     6,000,000,000      cycles                           #    "
		"3.000 GHz\n"
		"     3,000,000,000      instructions                     #    "
		"0.50  insn per cycle\n"
		"     1,000,000,000      branches                         #  "
		"500.000 M/sec\n"
		"         5,000,000      branch-misses                    #    "
		"0.50% of all branches\n"
		"             1,234      page-faults                      #  "
		"617.000 /sec\n"
		"                25      L1-dcache-load-misses            #   "
		"25.00% of all L1-dcache accesses\n"
		"               100      L1-dcache-loads                  #   "
		"50.000 /sec\n"
		"     3,000,000,000      instructions:u                   #    "
		"1.500 G/sec\n"
		"         1,000,000      cache-misses                     #   "
		"25.000 % of all cache refs\n"
		"         4,000,000      cache-references                 #    "
		"2.000 M/sec\n");
}

static void the_share_of_the_time_that_an_event_counted_is_shown(void **state)
{
	struct count_table table = { 0 };

	(void)state;
	add_row(&table, 1, 1234567, 50);
	add_row(&table, 2, 999, 100);
	assert_table(&table, false,
		"           1234567      cycles                                "
		"                               (50.00%)\n"
		"               999      instructions                     #    "
		"0.00  insn per cycle\n");
}

static void missing_counts_are_shown_as_not_counted_or_not_supported(
	void **state)
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

static void several_runs_are_shown_with_mean_and_deviation(void **state)
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

static void names_in_csv_move_no_field_and_are_no_formula(void **state _unused_)
{
	static const struct count_place threads[] = {
		{ .tid = 1, .name = "=cmd|\"/c x\"!A1" },
		{ .tid = 2, .name = "x,999999,msec" },
		{ .tid = 3, .name = "a b" }
	};
	static char name[] = "@b,c";
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = {
		.by = COUNT_BY_THREAD, .has_cgroups = true, .n_places = 3
	};
	struct selection_event grouped[3];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		add_row(&table, 5, 8, 100);
		grouped[i] = *table.rows.at[i].event;
		grouped[i].cgroup = i ? NULL : name;
		table.rows.at[i].event = &grouped[i];
		table.rows.at[i].place = &threads[i];
	}
	grouped[2].name = name;
	count_lines_csv(&table, ",", &out);
	assert_string_equal(out.at,
		"\"'=cmd|\"\"/c x\"\"!A1-1\",8,,page-faults,\"'@b,c\","
		"1000000,100.00,,\n"
		"\"x,999999,msec-2\",8,,page-faults,,1000000,100.00,,\n"
		"a b-3,8,,\"'@b,c\",,1000000,100.00,,\n");
	strbuf_clear(&out);
	count_lines_csv(&table, ";", &out);
	assert_string_equal(out.at,
		"\"'=cmd|\"\"/c x\"\"!A1-1\";8;;page-faults;\"'@b,c\";"
		"1000000;100.00;;\n"
		"x,999999,msec-2;8;;page-faults;;1000000;100.00;;\n"
		"a b-3;8;;\"'@b,c\";;1000000;100.00;;\n");
	count_table_free(&table);
}

static void metrics_in_csv_move_no_field(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = { 0 };

	add_row(&table, 1, 2, 100);
	add_row(&table, 2, 1, 100);
	count_lines_csv(&table, " ", &out);
	assert_string_equal(out.at,
		"2  cycles 1000000 100.00  \n"
		"1  instructions 1000000 100.00 0.50 \"insn per cycle\"\n");
	count_table_free(&table);
}

static void each_cpu_and_thread_has_rows_of_its_own(void **state)
{
	static const struct count_place cpus[] = { { .at.cpu = 0 },
		{ .at.cpu = 12 } };
	static const struct count_place thread = { .tid = 4711,
		.name = "a\033b" };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = {
		.by = COUNT_BY_CPU,
		.elapsed_ns = 2e9,
		.is_interval = true,
		.end_ns = 61.5e9,
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
	table.by = COUNT_BY_THREAD;
	table.rows.n = table.n_places = 1;
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

/* Three events at two places, with a row for each event and place. */
static void add_pairs(
	struct count_table *table, const struct count_place places[2])
{
	static const size_t chosen[] = { 5, 1 };
	static const double values[] = { 7, 9, 6e9, 8e9 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		add_row(table, chosen[i / 2], values[i], 100);
		table->rows.at[i].place = &places[i % 2];
		table->rows.at[i].n_counted = 4;
	}
	table->n_places = 2;
}

static void each_core_die_socket_or_node_has_rows_of_all_events(void **state)
{
	static const struct count_place places[] = {
		{ .at = { 0, 3, 1, 2, 0 } }, { .at = { 0, 11, 0, 10, 7 } }
	};
	static const struct {
		enum count_by by;
		const char *text, *name[2];
	} rows[] = {
		{ COUNT_BY_CORE,
			"#           time core            cpus             "
			"counts unit events\n"
			"     1.500000000 S2-D1-C3           4                 "
			" 7      page-faults\n",
			{ "\"core\": \"S2-D1-C3\"", "S10-D0-C11" } },
		{ COUNT_BY_DIE,
			"#           time die          cpus             counts "
			"unit events\n"
			"     1.500000000 S2-D1           4                  7 "
			"     page-faults\n",
			{ "\"die\": \"S2-D1\"", "S10-D0" } },
		{ COUNT_BY_SOCKET,
			"#           time socket cpus             counts unit "
			"events\n"
			"     1.500000000 S2        4                  7      "
			"page-faults\n",
			{ "\"socket\": \"S2\"", "S10" } },
		{ COUNT_BY_NODE,
			"#           time node   cpus             counts unit "
			"events\n"
			"     1.500000000 N0        4                  7      "
			"page-faults\n",
			{ "\"node\": \"N0\"", "N7" } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct count_table table = {
			.by = rows[i].by, .is_interval = true, .end_ns = 1.5e9
		};
		_cleanup_strbuf_ struct strbuf out = { 0 };
		_cleanup_free_ char *line = xasprintf(
			"     "
			"1.500000000;%s;4;8000000000;;cycles;1000000;100.00"
			";;\n",
			rows[i].name[1]);

		add_pairs(&table, places);
		count_lines_header(&table, &out);
		count_lines_text(&table, false, &out);
		assert_memory_equal(out.at, rows[i].text, strlen(rows[i].text));
		strbuf_clear(&out);
		count_lines_csv(&table, ";", &out);
		/* The last of four lines. */
		assert_string_equal(out.at + out.n - strlen(line), line);
		strbuf_clear(&out);
		count_lines_json(&table, &out);
		assert_non_null(strstr(out.at, rows[i].name[0]));
		assert_non_null(strstr(out.at, "\"aggregate-number\": 4, "));
		count_table_free(&table);
	}
}

static void threads_are_ordered_by_their_counts(void **state)
{
	static const struct count_place threads[] = {
		{ .tid = 1, .name = "idle" },
		{ .tid = 2, .name = "busy" },
	};
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = { .by = COUNT_BY_THREAD };

	(void)state;
	add_pairs(&table, threads);
	/* Of equal counts, the first thread is first. */
	table.rows.at[3].value = table.rows.at[2].value;
	count_lines_csv(&table, ",", &out);
	assert_string_equal(out.at,
		"busy-2,9,,page-faults,1000000,100.00,,\n"
		"idle-1,7,,page-faults,1000000,100.00,,\n"
		"idle-1,6000000000,,cycles,1000000,100.00,,\n"
		"busy-2,6000000000,,cycles,1000000,100.00,,\n");
	count_table_free(&table);
}

static void counts_of_pmus_have_a_scale_and_a_unit(void **state)
{
	static struct selection_event energy = { .attr.type = 12,
		.name = names[0],
		.unit = { 2.3283064365386962890625e-10, "Joules", false } };
	static struct selection_event lines = { .attr.type = 13,
		.name = names[1],
		.unit = { 64, "Bytes", false } };
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = { 0 };

	(void)state;
	add_row(&table, 0, 2e9, 100);
	add_row(&table, 5, 25769803776, 100);
	table.rows.at[1].event = &energy;
	add_row(&table, 5, 100, 100);
	table.rows.at[2].event = &lines;
	count_lines_csv(&table, ",", &out);
	assert_string_equal(out.at,
		"2000.00,msec,task-clock,1000000,100.00,,\n"
		"6.00,Joules,task-clock,1000000,100.00,3.000,/sec\n"
		"6400,Bytes,cycles,1000000,100.00,3.200,K/sec\n");
	strbuf_clear(&out);
	count_lines_json(&table, &out);
	assert_non_null(strstr(out.at,
		"\"counter-value\": \"6.000000\", \"unit\": \"Joules\""));
	/* The column is as wide as the longest unit. */
	assert_table(&table, true,
		"          2,000.00 msec   task-clock                       #  "
		"  0.500 CPUs utilized\n"
		"              6.00 Joules task-clock                       #  "
		"  3.000 /sec\n"
		"             6,400 Bytes  cycles                           #  "
		"  3.200 K/sec\n");
}

static void stalled_cycles_per_instruction_have_a_line_of_their_own(
	void **state)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = { .has_deviation = true };

	(void)state;
	add_row(&table, 2, 3e9, 25);
	table.rows.at[0].deviation_percent = 1.5;
	add_row(&table, 9, 1.5e9, 100);
	add_row(&table, 10, 3.6e9, 100);
	count_lines_csv(&table, ",", &out);
	assert_string_equal(out.at,
		"3000000000,,instructions,1.50%,250000,25.00,,\n"
		",,,,,,1.20,stalled cycles per insn\n"
		"1500000000,,stalled-cycles-frontend,0.00%,1000000,100.00,,\n"
		"3600000000,,stalled-cycles-backend,0.00%,1000000,100.00,,\n");
	strbuf_clear(&out);
	count_lines_json(&table, &out);
	assert_non_null(strstr(out.at,
		"\n{\"metric-value\": 1.200000, \"metric-unit\": \"stalled "
		"cycles per insn\"}\n{"));
	table.rows.n = 2;
	/* What follows the first metric is at the end of the second line. */
	assert_table(&table, false,
		"        3000000000      instructions\n"
		"                                                         #    "
		"0.50  stalled cycles per insn  ( +-  1.50% )  (25.00%)\n"
		"        1500000000      stalled-cycles-frontend\n");
}

static void control_groups_have_a_column_and_rates_of_their_own(void **state)
{
	static char name[] = "a\033/b";
	_cleanup_strbuf_ struct strbuf out = { 0 };
	struct count_table table = { .elapsed_ns = 2e9, .has_cgroups = true };
	struct selection_event grouped[4];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(grouped); i++) {
		add_row(&table, i % 2 ? 5 : 0, i < 2 ? 1e9 : 2e9, 100);
		grouped[i] = *table.rows.at[i].event;
		grouped[i].cgroup = i < 2 ? NULL : name;
		table.rows.at[i].event = &grouped[i];
	}
	table.rows.at[3].value = 1e9;
	count_lines_text(&table, false, &out);
	assert_string_equal(out.at,
		"           1000.00 msec task-clock                       #    "
		"0.500 CPUs utilized\n"
		"        1000000000      page-faults                      # "
		"1000.000 M/sec\n"
		"           2000.00 msec task-clock                       "
		"a\\x1b/b #    1.000 CPUs utilized\n"
		"        1000000000      page-faults                      "
		"a\\x1b/b #  500.000 M/sec\n");
	strbuf_clear(&out);
	count_lines_csv(&table, ",", &out);
	assert_string_equal(out.at,
		"1000.00,msec,task-clock,,1000000,100.00,0.500,CPUs utilized\n"
		"1000000000,,page-faults,,1000000,100.00,1000.000,M/sec\n"
		"2000.00,msec,task-clock,a\\x1b/b,1000000,100.00,1.000,CPUs "
		"utilized\n"
		"1000000000,,page-faults,a\\x1b/b,1000000,100.00,500.000,"
		"M/sec\n");
	strbuf_clear(&out);
	table.rows.n = 3;
	count_lines_json(&table, &out);
	assert_non_null(strstr(
		out.at, "\"event\": \"page-faults\", \"cgroup\": \"\", "));
	assert_non_null(strstr(out.at,
		"\"event\": \"task-clock\", \"cgroup\": "
		"\"a\\u001b/b\", \"event-runtime\": "));
	count_table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_shown_with_rates_and_ratios),
		cmocka_unit_test(
			the_share_of_the_time_that_an_event_counted_is_shown),
		cmocka_unit_test(
			missing_counts_are_shown_as_not_counted_or_not_supported),
		cmocka_unit_test(each_cpu_and_thread_has_rows_of_its_own),
		cmocka_unit_test(names_in_csv_move_no_field_and_are_no_formula),
		cmocka_unit_test(metrics_in_csv_move_no_field),
		cmocka_unit_test(
			control_groups_have_a_column_and_rates_of_their_own),
		cmocka_unit_test(
			several_runs_are_shown_with_mean_and_deviation),
		cmocka_unit_test(
			each_core_die_socket_or_node_has_rows_of_all_events),
		cmocka_unit_test(threads_are_ordered_by_their_counts),
		cmocka_unit_test(counts_of_pmus_have_a_scale_and_a_unit),
		cmocka_unit_test(
			stalled_cycles_per_instruction_have_a_line_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
