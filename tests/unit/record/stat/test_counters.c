/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening and reading counters of a made kernel: each counter is a pipe. */
#include "config.h"

#include "record/stat/counters.h"

#include "tests/unit/testing.h"

#include <errno.h>
#include <fcntl.h>

#include "record/event/group.h"

#define OPENED_MAX 16u
#define ENDED 13 /* ID of a thread that has ended */

/* What this kernel lacks, and the events that it opened. */
static struct made_kernel {
	bool lacks_hardware, lacks_inherited_groups, lacks_privilege;
	int lost_group; /* errno of a member at the thread 12, or 0 */
	size_t n;
	struct made_counter {
		struct perf_event_attr attr;
		pid_t pid;
		int cpu, leader, fd, writer;
	} opened[OPENED_MAX];
} kernel;

static int errno_of(const struct perf_event_attr *attr, pid_t pid)
{
	if (kernel.lacks_privilege)
		return EACCES;
	if (kernel.lacks_hardware && attr->type == PERF_TYPE_HARDWARE)
		return ENOENT;
	if (kernel.lacks_inherited_groups && attr->inherit &&
		attr->read_format & PERF_FORMAT_GROUP)
		return EINVAL;
	return pid == ENDED ? ESRCH : 0;
}

static int open_made(const struct opener *opener,
	const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int errnum = errno_of(attr, pid), ends[2];

	if (pid == 12 && opener_group(opener) >= 0 && kernel.lost_group)
		errnum = kernel.lost_group;
	if (errnum) {
		errno = errnum;
		return -1;
	}
	assert_true(kernel.n < OPENED_MAX && pipe2(ends, O_NONBLOCK) == 0);
	kernel.opened[kernel.n++] = (struct made_counter){ *attr, pid, cpu,
		opener_group(opener), ends[0], ends[1] };
	return ends[0];
}

/* The next read(2) of the opened counter with INDEX returns N words. */
static void feed(size_t index, const uint64_t *words, size_t n)
{
	ssize_t size = (ssize_t)(n * sizeof(*words));

	assert_true(index < kernel.n);
	assert_true(write(kernel.opened[index].writer, words, (size_t)size) ==
		size);
}
#define FEED(index, ...)                               \
	feed(index, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

struct fixture {
	struct selection selection;
	struct target target;
	struct open_fallback limits;
	struct counters counters;
};

/* Opens EVENTS for the threads 11 and 12, or for the CPUs 0 and 1. */
static struct error *open_fixture(
	const char *events, bool is_wide, struct fixture *ret)
{
	static const struct opener opener = { .open = open_made };
	const struct selection_sampling sampling = { .is_cpu_wide = is_wide,
		.inherits = !is_wide };
	const struct pmus pmus = { 0 };
	const struct counters_plan plan = { &opener, &ret->selection,
		&ret->target, &ret->limits };
	uint32_t cpu;

	*ret = (struct fixture){ .limits.counts = true };
	ret->target.kind = is_wide ? TARGET_SYSTEM : TARGET_THREADS;
	if (!is_wide) {
		task_list_add(&ret->target.tids, 11);
		task_list_add(&ret->target.tids, 12);
	}
	for (cpu = 0; cpu < 2; cpu++)
		*array_push(&ret->target.sampled.list) = cpu;
	assert_no_error(event_select(&ret->selection, events, &pmus));
	selection_count(&ret->selection, &sampling);
	groups_configure(&ret->selection);
	return counters_open(&plan, &ret->counters);
}

static void close_fixture(struct fixture *fixture)
{
	size_t i;

	counters_close(&fixture->counters);
	target_deinit(&fixture->target);
	selection_deinit(&fixture->selection);
	for (i = 0; i < kernel.n; i++)
		close(kernel.opened[i].writer);
	memset(&kernel, 0, sizeof(kernel));
}

static void assert_total(const struct fixture *fixture, size_t event,
	uint64_t value, double estimate)
{
	struct reading total = counters_total(&fixture->counters, event);

	assert_int_equal(total.value, value);
	assert_true(reading_estimate(&total) == estimate);
}

static void a_group_is_read_through_its_leader(void **state)
{
	struct fixture fixture;
	struct reading reading;

	(void)state;
	assert_no_error(open_fixture("{cs,page-faults}", false, &fixture));
	assert_int_equal(kernel.n, 4);
	assert_int_equal(kernel.opened[0].leader, -1);
	assert_int_equal(kernel.opened[2].leader, kernel.opened[0].fd);
	assert_int_equal(kernel.opened[3].leader, kernel.opened[1].fd);
	assert_int_equal(kernel.opened[3].pid, 12);
	assert_int_equal(kernel.opened[3].cpu, -1);
	assert_true(kernel.opened[0].attr.inherit);
	FEED(0, 2, 100, 100, 5, 50);
	FEED(1, 2, 100, 50, 7, 70);
	counters_read(&fixture.counters);
	assert_total(&fixture, 0, 12, 16);
	assert_total(&fixture, 1, 120, 160);
	assert_true(counters_at_place(&fixture.counters, 1, 1, &reading));
	assert_int_equal(reading.value, 70);
	assert_int_equal(reading.running, 50);

	/* The next interval has only what was counted since. */
	counters_mark(&fixture.counters);
	FEED(0, 2, 200, 200, 6, 50);
	FEED(1, 2, 200, 150, 9, 71);
	counters_read(&fixture.counters);
	assert_total(&fixture, 0, 3, 3);
	assert_total(&fixture, 1, 1, 1);
	close_fixture(&fixture);
}

static void an_unsupported_event_is_left_out_of_its_group(void **state)
{
	struct fixture fixture;

	(void)state;
	kernel.lacks_hardware = true;
	assert_no_error(
		open_fixture("{cs,cycles,page-faults}", true, &fixture));
	assert_int_equal(kernel.n, 4);
	assert_int_equal(kernel.opened[1].cpu, 1);
	assert_int_equal(kernel.opened[1].pid, -1);
	assert_false(kernel.opened[0].attr.inherit);
	assert_false(fixture.counters.events.at[1].is_supported);
	FEED(0, 2, 9, 9, 5, 50);
	FEED(1, 2, 9, 9, 7, 70);
	counters_read(&fixture.counters);
	assert_total(&fixture, 0, 12, 12);
	assert_total(&fixture, 1, 0, 0);
	assert_total(&fixture, 2, 120, 120);
	close_fixture(&fixture);
}

static void a_group_whose_leader_is_unsupported_is_split(void **state)
{
	struct fixture fixture;

	(void)state;
	kernel.lacks_hardware = true;
	assert_no_error(
		open_fixture("{cycles,cs,page-faults}", false, &fixture));
	assert_int_equal(kernel.n, 4);
	assert_int_equal(kernel.opened[2].leader, -1);
	assert_true(kernel.opened[2].attr.disabled);
	assert_false(fixture.counters.events.at[0].is_supported);
	FEED(0, 5, 9, 9);
	FEED(1, 6, 9, 9);
	FEED(2, 50, 9, 9);
	FEED(3, 60, 9, 9);
	counters_read(&fixture.counters);
	assert_total(&fixture, 1, 11, 11);
	assert_total(&fixture, 2, 110, 110);
	close_fixture(&fixture);
}

static void a_weak_group_with_an_unsupported_event_is_split(void **state)
{
	struct fixture fixture;

	(void)state;
	kernel.lacks_hardware = true;
	assert_no_error(
		open_fixture("{cs,cycles,page-faults}:W", true, &fixture));
	/* The first two were closed and opened again. */
	assert_int_equal(kernel.n, 6);
	assert_int_equal(kernel.opened[4].leader, -1);
	assert_true(kernel.opened[4].attr.disabled);
	close_fixture(&fixture);
}

static void on_old_kernels_each_inherited_event_is_read_alone(void **state)
{
	struct fixture fixture;

	(void)state;
	kernel.lacks_inherited_groups = true;
	assert_no_error(open_fixture("{cs,page-faults}", false, &fixture));
	assert_int_equal(kernel.n, 4);
	assert_int_equal(kernel.opened[2].leader, kernel.opened[0].fd);
	FEED(0, 5, 9, 9);
	FEED(1, 6, 9, 9);
	FEED(2, 50, 9, 9);
	FEED(3, 60, 9, 9);
	counters_read(&fixture.counters);
	assert_total(&fixture, 0, 11, 11);
	assert_total(&fixture, 1, 110, 110);
	close_fixture(&fixture);
}

static void a_thread_that_has_ended_is_left_out(void **state)
{
	struct fixture fixture = { 0 };
	struct reading reading;

	(void)state;
	assert_no_error(open_fixture("cs", false, &fixture));
	counters_close(&fixture.counters);
	task_list_add(&fixture.target.tids, ENDED);
	assert_no_error(counters_open(
		&(const struct counters_plan){
			&(const struct opener){ .open = open_made },
			&fixture.selection, &fixture.target, &fixture.limits },
		&fixture.counters));
	assert_int_equal(kernel.n, 4);
	FEED(2, 5, 9, 9);
	FEED(3, 6, 9, 9);
	counters_read(&fixture.counters);
	assert_total(&fixture, 0, 11, 11);
	assert_true(counters_at_place(&fixture.counters, 0, 1, &reading));
	assert_false(counters_at_place(&fixture.counters, 0, 2, &reading));
	close_fixture(&fixture);
}

static void events_with_snapshot_values_are_not_subtracted(void **state)
{
	struct fixture fixture;
	struct reading reading;

	(void)state;
	assert_no_error(open_fixture("cs", true, &fixture));
	fixture.selection.events.at[0].unit.is_snapshot = true;
	FEED(0, 5, 100, 100);
	FEED(1, 6, 100, 100);
	counters_read(&fixture.counters);
	counters_mark(&fixture.counters);
	FEED(0, 4, 150, 150);
	FEED(1, 6, 150, 150);
	counters_read(&fixture.counters);
	assert_total(&fixture, 0, 10, 10);
	assert_true(counters_at_place(&fixture.counters, 0, 0, &reading));
	assert_int_equal(reading.value, 4);
	assert_int_equal(reading.running, 50);
	close_fixture(&fixture);
}

/* Its thread ended or forked between the events of the group. */
static void a_group_whose_thread_changes_during_the_opening_is_split(
	void **state)
{
	static const int errnums[] = { ENODEV, EINVAL };
	struct fixture fixture;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(errnums); i++) {
		kernel.lost_group = errnums[i];
		assert_no_error(
			open_fixture("{cycles,instructions}", false, &fixture));
		/* Two leaders and a member were closed. */
		assert_int_equal(kernel.n, 7);
		assert_int_equal(kernel.opened[6].leader, -1);
		assert_true(kernel.opened[6].attr.disabled);
		assert_true(fixture.counters.events.at[1].is_supported);
		close_fixture(&fixture);
	}
}

static void a_missing_privilege_is_an_error(void **state)
{
	struct fixture fixture;
	struct error *err;

	(void)state;
	kernel.lacks_privilege = true;
	err = open_fixture("cycles", true, &fixture);
	assert_non_null(err);
	assert_non_null(strstr(err->text, "cannot open event 'cycles"));
	error_free(err);
	close_fixture(&fixture);
}

static void an_unsupported_counter_is_not_replaced_by_the_timer(void **state)
{
	struct fixture fixture;

	(void)state;
	kernel.lacks_hardware = true;
	assert_no_error(open_fixture("cycles", true, &fixture));
	assert_int_equal(kernel.n, 0);
	assert_false(fixture.counters.events.at[0].is_supported);
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_is_read_through_its_leader),
		cmocka_unit_test(an_unsupported_event_is_left_out_of_its_group),
		cmocka_unit_test(a_group_whose_leader_is_unsupported_is_split),
		cmocka_unit_test(
			a_weak_group_with_an_unsupported_event_is_split),
		cmocka_unit_test(
			on_old_kernels_each_inherited_event_is_read_alone),
		cmocka_unit_test(a_thread_that_has_ended_is_left_out),
		cmocka_unit_test(
			events_with_snapshot_values_are_not_subtracted),
		cmocka_unit_test(
			a_group_whose_thread_changes_during_the_opening_is_split),
		cmocka_unit_test(a_missing_privilege_is_an_error),
		cmocka_unit_test(
			an_unsupported_counter_is_not_replaced_by_the_timer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
