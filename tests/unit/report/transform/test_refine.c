/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/refine.h"

#include "report/result/request.h"
#include "report/rows/fields.h"
#include "tests/unit/make_report.h"
#include "tests/unit/testing.h"

static const struct made_stack stacks[] = {
	{ 50, { MADE_LEAF, MADE_LEAF, MADE_WORK, MADE_MAIN } },
	{ 30, { MADE_WORK, MADE_WORK, MADE_MAIN } },
	{ 15, { MADE_LEAF, MADE_LEAF, MADE_MAIN } },
	{ 4, { MADE_NO_MAPPING, MADE_NO_MAPPING, MADE_MAIN } },
};

/* Compares the rows of functions, or of parent functions, with WANTED. */
static void assert_refined(
	struct options *options, const char *field, const char *wanted)
{
	const struct scan_request by_code = { .wants_chains = true };
	struct hist_request request = {
		.fields = { field_find(field) },
		.n_fields = 1,
		.has_children = true,
		.wants_parent =
			options->stacks.parent || string_is(field, "parent"),
		.is_inverted = options->stacks.is_inverted,
		.is_relative = options->rows.is_relative,
		.filter = &options->filter,
	};
	const struct refine_request refine_request =
		request_refine(options, &options->stacks.transforms, &request);
	_cleanup_strbuf_ struct strbuf found = { 0 };
	struct made_report report;
	struct hist hist;

	make_report(stacks, ARRAY_SIZE(stacks), by_code, &report);
	assert_no_error(refine_stacks(
		&report.scan, &refine_request, report.names.resolver));
	hist_build(&report.scan, 0, &request, &report.names, &hist);
	strbuf_printf(&found, "%u of %u\n", (unsigned)hist.samples,
		(unsigned)hist.period);
	list_rows(&report, &hist, &request, &found);
	assert_text(&found, wanted);
	hist_deinit(&hist);
	made_report_deinit(&report);
	filter_deinit(&options->filter);
}

/* The sampled frame always counts. */
static void call_chains_can_be_limited_at_either_end(void **state _unused_)
{
	struct hist_request request = { .fields = { field_find("sym") },
		.n_fields = 1,
		.has_children = true };
	const struct made_stack stack = { 50,
		{ MADE_LEAF, MADE_WORK, MADE_MAIN } };
	_cleanup_strbuf_ struct strbuf found = { 0 };
	const struct filter any = { 0 };
	struct made_report report;
	struct hist hist;
	int keeps_callers;

	request.filter = &any;
	for (keeps_callers = 0; keeps_callers < 2; keeps_callers++) {
		make_report(&stack, 1,
			(struct scan_request){ .wants_chains = true,
				.max_frames = 2,
				.keeps_callers = keeps_callers },
			&report);
		hist_build(&report.scan, 0, &request, &report.names, &hist);
		list_rows(&report, &hist, &request, &found);
		hist_deinit(&hist);
		made_report_deinit(&report);
	}
	assert_text(&found,
		"50 0 0 [.] work\n"
		"50 50 1 [.] leaf\n"
		"50 0 0 [.] main\n"
		"50 0 0 [.] work\n"
		"50 50 1 [.] leaf\n");
}

static void without_options_no_row_changes(void **state _unused_)
{
	assert_refined(&(struct options){ 0 }, "sym",
		"4 of 99\n"
		"99 0 0 [.] main\n"
		"80 30 1 [.] work\n"
		"65 65 2 [.] leaf\n"
		"4 4 1 [.] 0x0000000000007000\n");
}

static void the_symbol_filter_hides_samples_of_other_symbols(
	void **state _unused_)
{
	struct options options = { 0 };

	filter_add_names(&options.filter.symbols, "work,nothing");
	assert_refined(&options, "sym",
		"4 of 99\n"
		"30 0 0 [.] main\n"
		"30 30 1 [.] work\n");
}

static void the_dso_filter_hides_samples_of_other_dsos(void **state _unused_)
{
	struct options options = { .rows.is_relative = true };

	/* Shares can be relative to the shown rows. */
	filter_add_names(&options.filter.dsos, "program");
	assert_refined(&options, "sym",
		"3 of 95\n"
		"95 0 0 [.] main\n"
		"80 30 1 [.] work\n"
		"65 65 2 [.] leaf\n");
}

static void hidden_unresolved_code_is_subtracted_from_the_total(
	void **state _unused_)
{
	assert_refined(&(struct options){ .stacks.hides_unresolved = true },
		"sym",
		"3 of 95\n"
		"95 0 0 [.] main\n"
		"80 30 1 [.] work\n"
		"65 65 2 [.] leaf\n");
}

static void an_ignored_callee_counts_for_the_matching_function(
	void **state _unused_)
{
	assert_refined(&(struct options){ .stacks.ignored_callees = "^wo" },
		"sym",
		"4 of 99\n"
		"99 0 0 [.] main\n"
		"80 80 2 [.] work\n"
		"15 15 1 [.] leaf\n"
		"4 4 1 [.] 0x0000000000007000\n");
	/* Of several matches, the outermost counts. */
	assert_refined(
		&(struct options){ .stacks.ignored_callees = "work|main" },
		"sym", "4 of 99\n99 99 4 [.] main\n");
}

static void a_parent_is_the_first_caller_that_matches(void **state _unused_)
{
	struct options options = { .stacks.parent = "work|main" };

	assert_refined(&options, "parent",
		"4 of 99\n"
		"80 80 2 work\n"
		"19 19 2 main\n");
	options.stacks.is_inverted = true;
	assert_refined(&options, "parent", "4 of 99\n99 99 4 main\n");
}

static void exclude_other_hides_samples_without_a_parent(void **state _unused_)
{
	struct options options = { .stacks.parent = "^work$",
		.stacks.excludes_other = true };

	assert_refined(&options, "parent", "4 of 99\n80 80 2 work\n");
	options.stacks.excludes_other = false;
	assert_refined(&options, "parent",
		"4 of 99\n"
		"80 80 2 work\n"
		"19 19 2 [other]\n");
	/* Without -p, the default pattern is used. */
	assert_refined(&(struct options){ 0 }, "parent",
		"4 of 99\n"
		"99 99 4 [other]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_chains_can_be_limited_at_either_end),
		cmocka_unit_test(without_options_no_row_changes),
		cmocka_unit_test(
			the_symbol_filter_hides_samples_of_other_symbols),
		cmocka_unit_test(the_dso_filter_hides_samples_of_other_dsos),
		cmocka_unit_test(
			hidden_unresolved_code_is_subtracted_from_the_total),
		cmocka_unit_test(
			an_ignored_callee_counts_for_the_matching_function),
		cmocka_unit_test(a_parent_is_the_first_caller_that_matches),
		cmocka_unit_test(exclude_other_hides_samples_without_a_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
