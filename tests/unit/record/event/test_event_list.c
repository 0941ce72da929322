/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <errno.h>

#include "record/event/event_list.h"

/* A machine that has no hardware counters but for cycles. */
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

static const struct offered *find(
	const struct catalog *catalog, const char *name)
{
	array_each(&catalog->list, offered)
		if (string_is(offered->name, name))
			return offered;
	fail_msg("%s isn't there", name);
	return NULL;
}

static void test_usable_is_what_opens(void **state)
{
	const struct catalog_request request = { .opener = &opener,
		.pmus = "/nowhere", .tracefs = "/nowhere" };
	struct catalog catalog;

	(void)state;
	catalog_read(&request, &catalog);
	assert_true(find(&catalog, "cycles")->is_usable);
	assert_true(find(&catalog, "cgroup-switches")->is_usable);
	assert_false(find(&catalog, "instructions")->is_usable);
	assert_false(find(&catalog, "LLC-load-misses")->is_usable);
	assert_string_equal(find(&catalog, "LLC-load-misses")->description,
		"reads that missed");
	assert_false(find(&catalog, "kprobe:SYMBOL[+OFFSET][%return]")
			     ->is_usable);
	assert_non_null(catalog.trouble);
	catalog_deinit(&catalog);
}

static void test_matches(void **state)
{
	char name[] = "sched:sched_switch", description[] = "prev_comm";
	const struct offered offered = { .kind = "tracepoint", .name = name,
		.description = description };

	(void)state;
	assert_true(offered_matches(&offered, "SWITCH"));
	assert_true(offered_matches(&offered, "Prev_"));
	assert_true(offered_matches(&offered, "tracepoint"));
	assert_true(offered_matches(&offered, "sched:*"));
	assert_true(offered_matches(&offered, "*:sched_[sw]*"));
	assert_false(offered_matches(&offered, "trace"));
	assert_false(offered_matches(&offered, "switch*"));
	assert_false(offered_matches(&offered, "swich"));
	assert_false(offered_matches(&offered, "sw"));
}

static void test_fields(void **state)
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
	catalog_fields(format, &fields);
	assert_text(&fields, "comm file name");
	catalog_fields("field:", &none);
	assert_text(&none, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usable_is_what_opens),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
