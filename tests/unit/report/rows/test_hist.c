/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/rows/hist.h"

#include <stdio.h>

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

static const struct scan_request by_code = { .wants_chains = true };

/* Returns a request for the fields NAMES. */
static struct hist_request request_of(const char *const *names, size_t n)
{
	struct hist_request request = { .n_fields = n };
	size_t i;

	for (i = 0; i < n; i++) {
		request.fields[i] = field_find(names[i]);
		assert_non_null(request.fields[i]);
	}
	return request;
}

#define REQUEST(...)                                     \
	request_of((const char *const[]){ __VA_ARGS__ }, \
		ARRAY_SIZE(((const char *const[]){ __VA_ARGS__ })))

/*
 * Builds the rows of the first event of REPORT and compares them with WANTED.
 */
static void assert_rows(struct made_report *report, struct hist_request request,
	const char *wanted)
{
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct hist hist;

	request.filter = &report->filter;
	GARBAGE(hist);
	hist_build(&report->scan, 0, &request, &report->names, &hist);
	list_rows(report, &hist, &request, &found);
	assert_text(&found, wanted);
	hist_deinit(&hist);
}

static void samples_are_added_up_by_function(void **state _unused_)
{
	struct made_report report;

	make_report(stacks, ARRAY_SIZE(stacks), by_code, &report);
	assert_rows(&report, REQUEST("sym"),
		"65 65 2 [.] leaf\n"
		"35 35 2 [.] work\n");
	made_report_deinit(&report);
}

static void callers_have_rows_if_children_are_requested(void **state _unused_)
{
	struct made_report report;
	struct hist_request request = REQUEST("sym");

	request.has_children = true;
	make_report(stacks, ARRAY_SIZE(stacks), by_code, &report);
	/* work is recursive and counts once per stack. */
	assert_rows(&report, request,
		"100 0 0 [.] main\n"
		"85 35 2 [.] work\n"
		"65 65 2 [.] leaf\n");
	made_report_deinit(&report);
}

static void the_total_of_a_histogram_is_that_of_its_event(void **state _unused_)
{
	const struct made_stack two_events[] = {
		{ 50, { MADE_LEAF } },
		{ 7, { MADE_WORK }, .event = 1 },
		{ 8, { MADE_LEAF }, .event = 1 },
	};
	struct hist_request request = REQUEST("sym");
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct made_report report;
	struct hist hist;

	make_report(two_events, ARRAY_SIZE(two_events), by_code, &report);
	request.filter = &report.filter;
	GARBAGE(hist);
	hist_build(&report.scan, 1, &request, &report.names, &hist);
	assert_int_equal(hist.event, 1);
	assert_int_equal(hist.samples, 2);
	assert_int_equal(hist.period, 15);
	list_rows(&report, &hist, &request, &found);
	assert_text(&found, "8 8 1 [.] leaf\n7 7 1 [.] work\n");
	hist_deinit(&hist);
	assert_rows(&report, request, "50 50 1 [.] leaf\n");
	made_report_deinit(&report);
}

static void samples_are_added_up_by_dso(void **state _unused_)
{
	const struct made_stack several[] = {
		{ 50, { MADE_LEAF } },
		{ 30, { MADE_NO_SYMBOL } },
		{ 10, { MADE_NO_MAPPING } },
	};
	struct made_report report;

	make_report(several, ARRAY_SIZE(several), by_code, &report);
	assert_rows(&report, REQUEST("dso"),
		"80 80 2 program\n"
		"10 10 1 [unknown]\n");
	made_report_deinit(&report);
}

static void each_address_without_a_symbol_is_a_row(void **state _unused_)
{
	const struct made_stack several[] = {
		{ 50, { MADE_NO_MAPPING } },
		{ 40, { MADE_NO_MAPPING + 8 } },
		{ 30, { MADE_NO_MAPPING } },
	};
	struct made_report report;

	make_report(several, ARRAY_SIZE(several), by_code, &report);
	assert_rows(&report, REQUEST("sym"),
		"80 80 2 [.] 0x0000000000007000\n"
		"40 40 1 [.] 0x0000000000007008\n");
	made_report_deinit(&report);
}

static void samples_are_added_up_by_thread_and_command(void **state _unused_)
{
	const struct made_stack several[] = {
		{ 50, { MADE_LEAF } },
		{ 30, { MADE_WORK }, .tid = MADE_PID + 1 },
		{ 10, { MADE_WORK }, .tid = MADE_PID + 2 },
		{ 5, { MADE_LEAF }, .tid = MADE_PID + 1 },
	};
	const struct scan_request by_thread = { .wants_tid = true };
	struct made_report report;

	make_report(several, ARRAY_SIZE(several), by_thread, &report);
	assert_rows(&report, REQUEST("comm"),
		"50 50 1 made\n"
		"35 35 2 other\n"
		"10 10 1 :79\n");
	assert_rows(&report, REQUEST("tid", "sym"),
		"50 50 1      77|[.] leaf\n"
		"30 30 1      78|[.] work\n"
		"10 10 1      79|[.] work\n"
		"5 5 1      78|[.] leaf\n");
	made_report_deinit(&report);
}

static void rows_of_equal_period_are_in_the_order_of_their_text(
	void **state _unused_)
{
	const struct made_stack several[] = {
		{ 10, { MADE_WORK } },
		{ 10, { MADE_MAIN } },
		{ 10, { MADE_LEAF } },
	};
	struct made_report report;

	make_report(several, ARRAY_SIZE(several), by_code, &report);
	assert_rows(&report, REQUEST("sym"),
		"10 10 1 [.] leaf\n"
		"10 10 1 [.] main\n"
		"10 10 1 [.] work\n");
	made_report_deinit(&report);
}

static void rows_below_the_percent_limit_are_hidden(void **state _unused_)
{
	struct hist_request request = REQUEST("sym");
	struct made_report report;

	request.percent_limit = 35.5;
	make_report(stacks, ARRAY_SIZE(stacks), by_code, &report);
	assert_rows(&report, request,
		"65 65 2 [.] leaf\n"
		"(35 35 2 [.] work)\n");
	request.percent_limit = 35;
	assert_rows(&report, request,
		"65 65 2 [.] leaf\n"
		"35 35 2 [.] work\n");
	made_report_deinit(&report);
}

static void rows_without_the_wanted_text_are_hidden(void **state _unused_)
{
	struct hist_request request = REQUEST("sym");
	struct made_report report;

	request.has_children = true;
	make_report(stacks, ARRAY_SIZE(stacks), by_code, &report);
	report.filter.row_part = "or";
	assert_rows(&report, request,
		"(100 0 0 [.] main)\n"
		"85 35 2 [.] work\n"
		"(65 65 2 [.] leaf)\n");
	made_report_deinit(&report);
}

static void a_recursive_function_counts_once_per_stack(void **state _unused_)
{
	const struct made_stack several[] = {
		{ 60,
			{ MADE_WORK, MADE_WORK, MADE_MAIN, MADE_WORK,
				MADE_MAIN } },
		{ 40, { MADE_MAIN, MADE_MAIN, MADE_MAIN } },
	};
	struct hist_request request = REQUEST("sym");
	struct made_report report;

	request.has_children = true;
	make_report(several, ARRAY_SIZE(several), by_code, &report);
	assert_rows(&report, request,
		"100 40 1 [.] main\n"
		"60 60 1 [.] work\n");
	made_report_deinit(&report);
}

static void a_recording_without_samples_has_no_rows(void **state _unused_)
{
	struct made_report report;

	make_report(NULL, 0, by_code, &report);
	assert_rows(&report, REQUEST("sym"), "");
	made_report_deinit(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_added_up_by_function),
		cmocka_unit_test(callers_have_rows_if_children_are_requested),
		cmocka_unit_test(the_total_of_a_histogram_is_that_of_its_event),
		cmocka_unit_test(samples_are_added_up_by_dso),
		cmocka_unit_test(each_address_without_a_symbol_is_a_row),
		cmocka_unit_test(samples_are_added_up_by_thread_and_command),
		cmocka_unit_test(
			rows_of_equal_period_are_in_the_order_of_their_text),
		cmocka_unit_test(rows_below_the_percent_limit_are_hidden),
		cmocka_unit_test(rows_without_the_wanted_text_are_hidden),
		cmocka_unit_test(a_recursive_function_counts_once_per_stack),
		cmocka_unit_test(a_recording_without_samples_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
