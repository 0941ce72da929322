/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <errno.h>

#include "record/event/event_list.h"

/* Simulates a machine whose only hardware counter is cycles. */
static int open_some(const struct opener *self _unused_,
	const struct perf_event_attr *attr, pid_t pid _unused_,
	int cpu _unused_)
{
	if (attr->type == PERF_TYPE_SOFTWARE ||
		(attr->type == PERF_TYPE_HARDWARE && !attr->config))
		return dup(0);
	errno = ENOENT;
	return -1;
}

static const struct opener opener = { .open = open_some };

static const struct event_listed *find_listed_event(
	const struct event_list *catalog, const char *name)
{
	array_each(&catalog->list, offered)
		if (string_is(offered->name, name))
			return offered;
	fail_msg("%s isn't there", name);
	return NULL;
}

static void only_events_that_open_are_listed_as_usable(void **state)
{
	const struct event_list_request request = {
		.opener = &opener, .pmus = "/nowhere", .tracefs = "/nowhere"
	};
	struct event_list catalog;

	(void)state;
	event_list_read(&request, &catalog);
	assert_true(find_listed_event(&catalog, "cycles")->is_usable);
	assert_true(find_listed_event(&catalog, "cgroup-switches")->is_usable);
	assert_false(find_listed_event(&catalog, "instructions")->is_usable);
	assert_false(find_listed_event(&catalog, "LLC-load-misses")->is_usable);
	assert_string_equal(
		find_listed_event(&catalog, "LLC-load-misses")->description,
		"reads that missed");
	assert_false(
		find_listed_event(&catalog, "kprobe:SYMBOL[+OFFSET][%return]")
			->is_usable);
	assert_non_null(catalog.trouble);
	event_list_deinit(&catalog);
}

static void a_pattern_matches_name_kind_or_description_of_an_event(void **state)
{
	char name[] = "sched:sched_switch", description[] = "prev_comm";
	const struct event_listed offered = {
		.kind = "tracepoint", .name = name, .description = description
	};

	(void)state;
	assert_true(event_list_matches(&offered, "SWITCH"));
	assert_true(event_list_matches(&offered, "Prev_"));
	assert_true(event_list_matches(&offered, "tracepoint"));
	assert_true(event_list_matches(&offered, "sched:*"));
	assert_true(event_list_matches(&offered, "*:sched_[sw]*"));
	assert_false(event_list_matches(&offered, "trace"));
	assert_false(event_list_matches(&offered, "switch*"));
	assert_false(event_list_matches(&offered, "swich"));
	assert_false(event_list_matches(&offered, "sw"));
}

static void event_list_fields_returns_the_fields_of_a_tracepoint(void **state)
{
	static const char format[] =
		"name: x\nID: 3\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\n"
		"\n"
		"\tfield:char comm[16];\toffset:8;\tsize:16;\n"
		"\tfield:const char * file;\toffset:24;\tsize:8;\n"
		"\tfield:__data_loc char[] name;\toffset:32;\tsize:4;\n"
		"\tfield:no end\n"
		"print fmt: \"%s\", REC->comm\n";
	_cleanup_strbuf_ struct strbuf fields = { 0 };
	_cleanup_strbuf_ struct strbuf none = { 0 };

	(void)state;
	event_list_fields(format, &fields);
	assert_text(&fields, "comm file name");
	event_list_fields("field:", &none);
	assert_text(&none, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_events_that_open_are_listed_as_usable),
		cmocka_unit_test(
			a_pattern_matches_name_kind_or_description_of_an_event),
		cmocka_unit_test(
			event_list_fields_returns_the_fields_of_a_tracepoint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
