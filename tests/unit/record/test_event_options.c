/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/event_options.h"

#include "tests/unit/testing.h"

#define OPTIONS_MAX 6u

/* "-e TEXT" or "-G TEXT", in the order of the command line. */
struct cgroup_case {
	const char *options[OPTIONS_MAX];
	const char *expected; /* "EVENT=CGROUP ..." */
};

static const struct cgroup_case cgroup_cases[] = {
	{ { "-e cs,dummy" }, "cs dummy " },
	{ { "-e cs,dummy", "-G a" }, "cs=a dummy=a " },
	{ { "-e cs", "-e dummy", "-G a" }, "cs=a dummy=a " },
	{ { "-G a/b", "-e cs,dummy" }, "cs=a/b dummy=a/b " },
	{ { "-e cs,dummy", "-G a,b" }, "cs=a dummy=b " },
	{ { "-e cs,dummy,faults", "-G a,,b" }, "cs=a dummy faults=b " },
	{ { "-e cs,dummy,faults", "-G ,a" }, "cs dummy=a faults " },
	/* As in perf, -G does not apply to the events after it. */
	{ { "-e cs", "-G a", "-e dummy" }, "cs=a dummy " },
	{ { "-e cs", "-G a", "-e dummy", "-G b" }, "cs=a dummy=b " },
	{ { "-e cs,dummy", "-G a", "-e faults", "-G ,b" },
		"cs=a dummy=a faults=b " },
	{ { "-e cs,dummy", "-G a", "-G b" }, "cs=a dummy=b " },
	{ { "-e {cs,dummy},faults", "-G a,a," }, "cs=a dummy=a faults " },
};

static void parse_options(
	const char *const *texts, struct event_options *options)
{
	size_t i;

	*options = (struct event_options){ 0 };
	for (i = 0; i < OPTIONS_MAX && texts[i]; i++)
		assert_no_error(texts[i][1] == 'e'
				? event_options_parse_event(
					  NULL, texts[i] + 3, true, options)
				: event_options_parse_cgroups(
					  NULL, texts[i] + 3, true, options));
}

static struct error *select_events(
	const struct event_options *options, struct selection *selection)
{
	struct pmus pmus = { 0 };
	struct error *err =
		event_options_select(options, NULL, &pmus, selection);

	return err ? err : event_options_set_cgroups(options, selection);
}

static void each_cgroup_name_belongs_to_the_events_before_it(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cgroup_cases); i++) {
		_cleanup_strbuf_ struct strbuf text = { 0 };
		struct selection selection = { 0 };
		struct event_options options;

		parse_options(cgroup_cases[i].options, &options);
		assert_no_error(select_events(&options, &selection));
		array_each(&selection.events, event)
			strbuf_printf(&text, "%s%s%s ", event->name,
				event->cgroup ? "=" : "", event->cgroup ?: "");
		assert_string_equal(text.at, cgroup_cases[i].expected);
		selection_deinit(&selection);
		event_options_deinit(&options);
	}
}

static void cgroup_names_without_an_event_are_an_error(void **state)
{
	static const char *const cases[][OPTIONS_MAX] = {
		{ "-e cs", "-G a,b" },
		{ "-e cs", "-G a,b", "-e dummy" },
		{ "-e cs", "-G a", "-G b" },
		{ "-G a,b", "-e cs" },
	};
	struct event_options options = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct selection selection = { 0 };

		parse_options(cases[i], &options);
		assert_error(select_events(&options, &selection),
			"-G: more cgroups than events before this option (1). "
			"Use one name for all events, or one per event");
		selection_deinit(&selection);
		event_options_deinit(&options);
	}
	assert_error(event_options_parse_cgroups(NULL, "", true, &options),
		"-G: the name is empty. Use a path below the mount point of "
		"the cgroup file system");
}

static void events_of_a_group_need_the_same_cgroup(void **state)
{
	static const char *const part[OPTIONS_MAX] = { "-e {cs,dummy}",
		"-G a," };
	struct selection selection = { 0 };
	struct event_options options;

	(void)state;
	parse_options(part, &options);
	assert_error(select_events(&options, &selection),
		"-G: dummy has no cgroup, but cs, the first event of its "
		"group, has. Use the same name for all events of a group");
	selection_deinit(&selection);
	event_options_deinit(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_cgroup_name_belongs_to_the_events_before_it),
		cmocka_unit_test(cgroup_names_without_an_event_are_an_error),
		cmocka_unit_test(events_of_a_group_need_the_same_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
