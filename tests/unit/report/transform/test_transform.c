/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/transform/transform.h"

#include "tests/unit/make_report.h"
#include "tests/unit/testing.h"

/* The stacks give each function a location; the tests make their own paths. */
static const struct made_stack functions[] = {
	{ 1, { MADE_LEAF, MADE_LEAF, MADE_WORK, MADE_MAIN } },
	{ 1, { MADE_NO_MAPPING } },
};

static struct made_report report;
static struct transform_list list;

static int make_functions(void **state _unused_)
{
	make_report(functions, ARRAY_SIZE(functions),
		(struct scan_request){ .wants_chains = true }, &report);
	return 0;
}

static int free_functions(void **state _unused_)
{
	made_report_deinit(&report);
	transform_list_deinit(&list);
	return 0;
}

static uint32_t location_of(char letter)
{
	struct resolver *resolver = report.names.resolver;
	uint32_t i;

	for (i = 0; i < resolver_n_locations(resolver); i++)
		if (resolver_function_name(resolver, i)[0] == letter)
			return i;
	fail_msg("no function begins with '%c'", letter);
	return 0;
}

/*
 * Applies LIST to the stack TEXT, and compares the result with WANTED. Texts
 * are the first letters of functions: the sampled function, a blank, and the
 * call chain from the innermost frame on. WANTED is NULL for a stack that is
 * left out.
 */
static void assert_path(const char *text, const char *wanted)
{
	struct transformer *transformer =
		transformer_create(report.names.resolver, &list, false);
	struct transform_path path = { .sampled = location_of(text[0]) };
	_cleanup_strbuf_ struct strbuf found = { 0 };
	const char *at;

	for (at = text + MIN(strlen(text), (size_t)2); *at; at++)
		*array_push(&path.frames) = location_of(*at);
	if (!transformer_apply(transformer, &path)) {
		if (wanted)
			fail_msg("%s is left out", text);
	} else {
		strbuf_putc(&found,
			*resolver_function_name(
				report.names.resolver, path.sampled));
		strbuf_putc(&found, ' ');
		array_each(&path.frames, frame)
			strbuf_putc(&found,
				*resolver_function_name(
					report.names.resolver, *frame));
		assert_text(&found, wanted ?: "(left out)");
	}
	array_free(&path.frames);
	transformer_destroy(transformer);
}

static void use_transform(enum transform_kind kind, const char *name)
{
	transform_list_deinit(&list);
	transform_list_add(&list, kind, name);
}

static void without_transforms_a_stack_is_unchanged(void **state _unused_)
{
	transform_list_deinit(&list);
	assert_path("l lwm", "l lwm");
	assert_path("l", "l ");
	assert_path("0 m", "0 m");
}

static void focus_removes_callers_of_the_outermost_matching_call(
	void **state _unused_)
{
	use_transform(TRANSFORM_FOCUS, "work");
	assert_path("l lwm", "l lw");
	assert_path("l lwmwm", "l lwmw");
	assert_path("w w", "w w");
	assert_path("w", "w ");
	assert_path("l lm", NULL);
	assert_path("l", NULL);
	/* The sampled code is not in the call chain. */
	assert_path("w m", "w ");
	assert_path("0 lwm", "0 lw");
}

static void drop_removes_stacks_that_contain_the_function(void **state _unused_)
{
	use_transform(TRANSFORM_DROP, "work");
	assert_path("l lwm", NULL);
	assert_path("w", NULL);
	assert_path("w m", NULL);
	assert_path("l lm", "l lm");
}

static void merge_fn_removes_the_frames_of_the_function(void **state _unused_)
{
	use_transform(TRANSFORM_MERGE, "work");
	assert_path("l lwm", "l lm");
	assert_path("w wm", "m m");
	assert_path("w wwlwm", "l lm");
	assert_path("w ww", "w w");
	assert_path("w", "w ");
	assert_path("w lm", "l lm");
	assert_path("w ww", "w w");
	assert_path("0 ww", "0 w");
}

static void collapse_recursion_keeps_only_the_outermost_call(
	void **state _unused_)
{
	use_transform(TRANSFORM_COLLAPSE_RECURSION, "work");
	assert_path("l lwwm", "l lwm");
	assert_path("w wlwmwm", "w wm");
	assert_path("l lwm", "l lwm");
	assert_path("l lm", "l lm");
	assert_path("m mwlwl", "m mwl");
}

static void collapse_dso_makes_adjacent_frames_of_a_dso_one_frame(
	void **state _unused_)
{
	use_transform(TRANSFORM_COLLAPSE_DSO, "program");
	assert_path("l lwm", "[ [");
	assert_path("l l0wm", "[ [0[");
	assert_path("0 0wm", "0 0[");
	assert_path("0 wm", "0 [");
	assert_path("l", "[ ");
	use_transform(TRANSFORM_COLLAPSE_DSO, MADE_PATH);
	assert_path("l lwm", "[ [");
	use_transform(TRANSFORM_COLLAPSE_DSO, "[unknown]");
	assert_path("0 0wm", "[ [wm");
}

static void transforms_apply_in_the_order_of_the_options(void **state _unused_)
{
	use_transform(TRANSFORM_MERGE, "leaf");
	transform_list_add(&list, TRANSFORM_FOCUS, "work");
	transform_list_add(&list, TRANSFORM_COLLAPSE_DSO, "program");
	assert_path("l llwm", "[ [");
	assert_path("l lm", NULL);
	use_transform(TRANSFORM_COLLAPSE_DSO, "program");
	transform_list_add(&list, TRANSFORM_FOCUS, "work");
	assert_path("l llwm", NULL);
	transform_list_remove(&list, TRANSFORM_FOCUS);
	assert_path("l llwm", "[ [");
	transform_list_add(&list, TRANSFORM_MERGE, "[program]");
	assert_path("l l0w", "0 0");
}

static void transforms_are_found_by_the_names_of_their_options(
	void **state _unused_)
{
	int kind;

	for (kind = 0; kind < TRANSFORM_KINDS; kind++)
		assert_int_equal(transform_find(transform_option(
					 (enum transform_kind)kind)),
			kind);
	assert_int_equal(transform_find("sort"), TRANSFORM_KINDS);
	use_transform(TRANSFORM_MERGE, "leaf");
	assert_true(transform_list_has(&list, TRANSFORM_MERGE));
	assert_false(transform_list_has(&list, TRANSFORM_DROP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_transforms_a_stack_is_unchanged),
		cmocka_unit_test(
			focus_removes_callers_of_the_outermost_matching_call),
		cmocka_unit_test(drop_removes_stacks_that_contain_the_function),
		cmocka_unit_test(merge_fn_removes_the_frames_of_the_function),
		cmocka_unit_test(
			collapse_recursion_keeps_only_the_outermost_call),
		cmocka_unit_test(
			collapse_dso_makes_adjacent_frames_of_a_dso_one_frame),
		cmocka_unit_test(transforms_apply_in_the_order_of_the_options),
		cmocka_unit_test(
			transforms_are_found_by_the_names_of_their_options),
	};

	return cmocka_run_group_tests(tests, make_functions, free_functions);
}
