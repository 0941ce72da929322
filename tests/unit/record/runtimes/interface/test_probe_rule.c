/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests probe_rule.h with made results of probes and made times. */
#include "config.h"

#include "record/runtimes/interface/probe_rule.h"

#include "common/util/clock.h"
#include "tests/unit/testing.h"

#define MS NSEC_PER_MSEC
#define STARTING_REASON "the runtime was starting when samples were taken"

static const struct probe_result starting = { .state = RUNTIME_STARTING };
/* Of a process: it depends on the memory. Of a file: it does not. */
static const struct probe_result process_refused = { RUNTIME_REFUSED,
	"unknown version", .can_change = true };
static const struct probe_result file_refused = { RUNTIME_REFUSED,
	"no symbols" };
static const struct probe_result ready = { RUNTIME_READY, .can_change = true };
static const struct probe_result ready_again = { RUNTIME_READY,
	.can_change = true, .is_same = true };

/*
 * Runs a process that uses CPU_PERCENT of a CPU, and always has RESULT, until the result
 * is final or until TIMES->now is END. Returns the number of probes.
 */
static unsigned run(struct probe_rule *rule, const struct probe_result *result,
	struct probe_times *times, unsigned cpu_percent, uint64_t end)
{
	unsigned n = 0;

	for (; !rule->is_final && times->now < end;
		times->now += MS, times->cpu += MS * cpu_percent / 100)
		if (probe_rule_is_due(rule, times->now) &&
			probe_rule_has_run(rule, times->cpu)) {
			probe_rule_add(rule, result, *times);
			n++;
		}
	return n;
}

static void a_result_that_only_files_decide_is_final(void **state)
{
	const struct probe_result file_ready = { RUNTIME_READY };
	struct probe_rule rule = { 0 }, other = { 0 };

	(void)state;
	assert_true(probe_rule_is_due(&rule, 0));
	assert_true(probe_rule_has_run(&rule, 0));
	probe_rule_add(&rule, &file_refused, (struct probe_times){ MS, MS });
	assert_true(rule.is_final);
	assert_false(probe_rule_is_due(&rule, UINT64_MAX));
	assert_string_equal(probe_rule_reason(&rule), "no symbols");
	probe_rule_add(&other, &file_ready, (struct probe_times){ MS, MS });
	assert_true(other.is_final);
}

/* For example on a busy machine: 1 of 17 ms. */
static void a_runtime_with_a_slow_start_is_not_refused(void **state)
{
	struct probe_rule rule = { 0 };
	struct probe_times times = { 1, 1 };

	(void)state;
	/* The file is mapped, and not relocated. */
	run(&rule, &process_refused, &times, 6, times.now + 2000 * MS);
	assert_false(rule.is_final);
	/* The runtime initializes its data. */
	run(&rule, &starting, &times, 6, times.now + 2000 * MS);
	assert_false(rule.is_final);
	run(&rule, &ready, &times, 6, times.now + 4000 * MS);
	assert_int_equal(rule.state, RUNTIME_READY);
}

static void a_stopped_process_is_not_probed(void **state)
{
	struct probe_rule rule = { 0 };
	struct probe_times times = { 1, 30 * MS };

	(void)state;
	assert_int_equal(
		run(&rule, &process_refused, &times, 0, 60000 * MS), 1);
	/* Its CPU time cannot be read: it has ended. */
	assert_true(probe_rule_is_due(&rule, times.now));
	assert_false(probe_rule_has_run(&rule, 0));
	assert_true(probe_rule_has_run(&rule, 31 * MS));
}

static void an_unknown_runtime_is_refused_after_few_probes(void **state)
{
	struct probe_rule rule = { 0 }, idle = { 0 };
	struct probe_times times = { 1, 1 }, idle_times = { 1, 1 };
	unsigned n = run(&rule, &process_refused, &times, 100, 60000 * MS);

	(void)state;
	assert_true(rule.is_final);
	assert_int_equal(rule.state, RUNTIME_REFUSED);
	assert_string_equal(probe_rule_reason(&rule), "unknown version");
	assert_in_range(n, 4, 16);
	assert_false(probe_rule_is_due(&rule, UINT64_MAX));
	/* A process that hardly runs is refused, too. */
	n = run(&idle, &process_refused, &idle_times, 1, 600000 * MS);
	assert_true(idle.is_final);
	assert_in_range(n, 4, 30);
}

static void the_time_before_the_start_of_the_runtime_does_not_count(
	void **state)
{
	struct probe_rule rule = { 0 };
	struct probe_times times = { 1, 1 };

	(void)state;
	/* A program runs long before it loads the library of the runtime. */
	run(&rule, &starting, &times, 100, 10000 * MS);
	times.now = rule.at;
	assert_true(probe_rule_is_due(&rule, times.now));
	probe_rule_add(&rule, &process_refused, times);
	assert_false(rule.is_final);
	rule = (struct probe_rule){ 0 };
	times = (struct probe_times){ 1, 5000 * MS };
	/* Its parent ran before exec. */
	run(&rule, &process_refused, &times, 100, 500 * MS);
	assert_false(rule.is_final);
}

static void probes_are_rare_if_the_start_does_not_end(void **state)
{
	struct probe_rule rule = { 0 };
	struct probe_times times = { 1, 1 };
	unsigned i;

	(void)state;
	assert_in_range(run(&rule, &starting, &times, 100, 200 * MS), 38, 41);
	run(&rule, &starting, &times, 100, 10000 * MS);
	assert_in_range(run(&rule, &starting, &times, 100, 30000 * MS), 9, 11);
	assert_false(rule.is_final);
	/* They are not more frequent if the result changes each time. */
	for (i = 0; i < 20; i++)
		probe_rule_add(
			&rule, i & 1 ? &starting : &process_refused, times);
	assert_true(rule.pause == 2000 * MS);
}

static void a_ready_runtime_is_final_when_it_is_found_twice(void **state)
{
	struct probe_rule rule = { 0 };
	struct probe_times times = { 1, 1 };

	(void)state;
	probe_rule_add(&rule, &ready, times);
	assert_false(rule.is_final);
	assert_false(probe_rule_has_run(&rule, times.cpu + 4 * MS));
	assert_true(probe_rule_has_run(&rule, times.cpu + 5 * MS));
	/* Its description was that of a runtime that is starting. */
	probe_rule_add(&rule, &ready, times);
	assert_false(rule.is_final);
	probe_rule_add(&rule, &ready_again, times);
	assert_true(rule.is_final);
	/* A description that changes for ever. */
	rule = (struct probe_rule){ 0 };
	assert_in_range(run(&rule, &ready, &times, 100, 60000 * MS), 4, 16);
	assert_true(rule.is_final);
}

static void the_reason_is_not_that_of_a_runtime_that_is_starting(void **state)
{
	struct probe_rule rule = { 0 };
	struct probe_times times = { 1, 1 };

	(void)state;
	probe_rule_add(&rule, &process_refused, times);
	assert_string_equal(probe_rule_reason(&rule), STARTING_REASON);
	/* The process ends. */
	probe_rule_end(&rule, "it has ended");
	assert_true(rule.is_final);
	assert_string_equal(probe_rule_reason(&rule), STARTING_REASON);
	rule = (struct probe_rule){ 0 };
	probe_rule_end(&rule, "it has ended");
	assert_string_equal(probe_rule_reason(&rule), "it has ended");
	/* The process has run for some time before its end. */
	rule = (struct probe_rule){ 0 };
	run(&rule, &process_refused, &times, 100, 400 * MS);
	assert_false(rule.is_final);
	assert_string_equal(probe_rule_reason(&rule), "unknown version");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_result_that_only_files_decide_is_final),
		cmocka_unit_test(a_runtime_with_a_slow_start_is_not_refused),
		cmocka_unit_test(a_stopped_process_is_not_probed),
		cmocka_unit_test(
			an_unknown_runtime_is_refused_after_few_probes),
		cmocka_unit_test(
			the_time_before_the_start_of_the_runtime_does_not_count),
		cmocka_unit_test(probes_are_rare_if_the_start_does_not_end),
		cmocka_unit_test(
			a_ready_runtime_is_final_when_it_is_found_twice),
		cmocka_unit_test(
			the_reason_is_not_that_of_a_runtime_that_is_starting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
