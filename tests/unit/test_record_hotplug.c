/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "testing.h"

#include "record/hotplug.h"

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
		cmocka_unit_test(test_those_that_are_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
