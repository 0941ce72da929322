/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/sys/hotplug.h"

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

/* Updates with the CPUs of ONLINE and compares the changes. */
static void assert_update(struct hotplug *hotplug, const char *online,
	const char *gone, const char *back, const char *others)
{
	struct cpus recorded, now;
	struct hotplug_change change;

	assert_true(cpus_parse("0-3", &recorded));
	assert_true(cpus_parse(online, &now));
	assert_int_equal(hotplug_update(hotplug, &recorded, &now, &change),
		*gone || *back || *others);
	assert_cpus(&change.gone, gone);
	assert_cpus(&change.back, back);
	assert_cpus(&change.others, others);
	hotplug_change_deinit(&change);
	cpus_deinit(&recorded);
	cpus_deinit(&now);
}

static void each_cpu_change_is_reported_once(void **state)
{
	struct hotplug hotplug = { 0 };

	(void)state;
	assert_update(&hotplug, "0-3", "", "", "");
	assert_update(&hotplug, "0,3", "1-2", "", "");
	assert_update(&hotplug, "0,3", "", "", "");
	assert_update(&hotplug, "0,2-3", "", "2", "");
	assert_update(&hotplug, "0-2", "3", "1", "");
	assert_update(&hotplug, "0-3", "", "3", "");
	hotplug_deinit(&hotplug);
}

static void mark_cpu_offline(struct hotplug *hotplug, uint32_t cpu)
{
	struct cpus recorded;

	assert_true(cpus_parse("0-3", &recorded));
	hotplug_mark_offline(hotplug, &recorded, cpu);
	cpus_deinit(&recorded);
}

static void a_cpu_offline_between_two_updates_is_reported_as_back(void **state)
{
	struct hotplug hotplug = { 0 };

	(void)state;
	assert_update(&hotplug, "0-3", "", "", "");
	mark_cpu_offline(&hotplug, 2);
	mark_cpu_offline(&hotplug, 2);
	mark_cpu_offline(&hotplug, 7);
	assert_update(&hotplug, "0-3", "", "2", "");
	assert_update(&hotplug, "0-3", "", "", "");
	/* Offline in an update and then by an event: back once. */
	assert_update(&hotplug, "0-2", "3", "", "");
	mark_cpu_offline(&hotplug, 3);
	assert_update(&hotplug, "0-3", "", "3", "");
	hotplug_deinit(&hotplug);
}

static void read_message(struct cpus *gone, const char *text)
{
	hotplug_read(text, strlen(text), gone);
}

static void only_offline_uevents_of_cpus_are_used(void **state)
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

static void cpus_that_are_not_recorded_are_reported_once(void **state)
{
	struct hotplug hotplug = { 0 };

	(void)state;
	assert_update(&hotplug, "0-5", "", "", "4-5");
	assert_update(&hotplug, "0-5", "", "", "");
	assert_update(&hotplug, "0-2,4", "3", "", "");
	assert_update(&hotplug, "0-5", "", "3", "5");
	hotplug_deinit(&hotplug);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_change_is_reported_once),
		cmocka_unit_test(
			a_cpu_offline_between_two_updates_is_reported_as_back),
		cmocka_unit_test(only_offline_uevents_of_cpus_are_used),
		cmocka_unit_test(cpus_that_are_not_recorded_are_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
