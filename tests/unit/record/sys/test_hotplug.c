/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/sys/hotplug.h"
#include "record/sys/uevents.h"

static void assert_cpus(const struct cpus *cpus, const char *text)
{
	struct cpus expected = { 0 };
	size_t i;

	if (*text)
		assert_true(cpus_parse(text, &expected));
	assert_int_equal(cpus->list.n, expected.list.n);
	for (i = 0; i < expected.list.n; i++)
		assert_int_equal(cpus->list.at[i], expected.list.at[i]);
	cpus_deinit(&expected);
}

/* With ONLINE there, those CPUs are told that are expected. */
static void look(struct hotplug *hotplug, const char *online, const char *gone,
	const char *back, const char *others)
{
	struct cpus recorded, now;
	struct hotplug_change change;

	assert_true(cpus_parse("0-3", &recorded));
	assert_true(cpus_parse(online, &now));
	assert_int_equal(hotplug_look(hotplug, &recorded, &now, &change),
		*gone || *back || *others);
	assert_cpus(&change.gone, gone);
	assert_cpus(&change.back, back);
	assert_cpus(&change.others, others);
	hotplug_change_deinit(&change);
	cpus_deinit(&recorded);
	cpus_deinit(&now);
}

static void test_each_change_is_told_once(void **state)
{
	struct hotplug hotplug = { 0 };

	(void)state;
	look(&hotplug, "0-3", "", "", "");
	look(&hotplug, "0,3", "1-2", "", "");
	look(&hotplug, "0,3", "", "", "");
	look(&hotplug, "0,2-3", "", "2", "");
	look(&hotplug, "0-2", "3", "1", "");
	look(&hotplug, "0-3", "", "3", "");
	hotplug_deinit(&hotplug);
}

static void leave(struct hotplug *hotplug, uint32_t cpu)
{
	struct cpus recorded;

	assert_true(cpus_parse("0-3", &recorded));
	hotplug_left(hotplug, &recorded, cpu);
	cpus_deinit(&recorded);
}

static void test_one_that_was_away_between_two_looks(void **state)
{
	struct hotplug hotplug = { 0 };

	(void)state;
	look(&hotplug, "0-3", "", "", "");
	leave(&hotplug, 2);
	leave(&hotplug, 2);
	leave(&hotplug, 7);
	look(&hotplug, "0-3", "", "2", "");
	look(&hotplug, "0-3", "", "", "");
	/* Seen as gone, and then told of: back once. */
	look(&hotplug, "0-2", "3", "", "");
	leave(&hotplug, 3);
	look(&hotplug, "0-3", "", "3", "");
	hotplug_deinit(&hotplug);
}

static void read_message(struct cpus *gone, const char *text)
{
	uevents_read(text, strlen(text), gone);
}

static void test_only_cpus_that_go_are_heard(void **state)
{
	struct cpus gone = { 0 };

	(void)state;
	read_message(&gone, "remove@/devices/virtual/cpuid/cpu1");
	read_message(&gone, "online@/devices/system/cpu/cpu4");
	read_message(&gone, "offline@/devices/system/cpu/cpu");
	read_message(&gone, "offline@/devices/system/cpu/cpux");
	read_message(&gone, "offline@/devices/system/cpu/cpu1/more");
	read_message(&gone, "offline@/devices/system/memory/memory1");
	read_message(&gone, "offline@/devices/system/cpu/cpu99999999999999");
	assert_cpus(&gone, "");
	read_message(&gone, "offline@/devices/system/cpu/cpu1");
	read_message(&gone, "offline@/devices/system/cpu/cpu12");
	read_message(&gone, "offline@/devices/system/cpu/cpu1");
	assert_cpus(&gone, "1,12");
	cpus_deinit(&gone);
}

static void test_those_that_are_new(void **state)
{
	struct hotplug hotplug = { 0 };

	(void)state;
	look(&hotplug, "0-5", "", "", "4-5");
	look(&hotplug, "0-5", "", "", "");
	look(&hotplug, "0-2,4", "3", "", "");
	look(&hotplug, "0-5", "", "3", "5");
	hotplug_deinit(&hotplug);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_change_is_told_once),
		cmocka_unit_test(test_one_that_was_away_between_two_looks),
		cmocka_unit_test(test_only_cpus_that_go_are_heard),
		cmocka_unit_test(test_those_that_are_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
