/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long threads were off their CPUs, from records in any order. */
#include "config.h"

#include "report/survey/switches.h"

#include <stdio.h>

#include "common/util/strbuf.h"
#include "tests/unit/testing.h"

#define TID 7u

static void add(struct switches *s, enum switch_kind kind, uint64_t time)
{
	const struct switch_record record = { 5, TID, 0, time };

	if (kind == SWITCH_WOKEN)
		assert_true(switches_add_wakeup(s, TID, time));
	else
		assert_true(switches_add(s, kind, &record));
}

static void add_at(
	struct switches *s, enum switch_kind kind, uint32_t cpu, uint64_t time)
{
	const struct switch_record record = { 5, TID, cpu, time };

	assert_true(switches_add(s, kind, &record));
}

/*
 * Returns the absence that begins at TIME or later: "out woken in" and flags.
 */
static const char *find(const struct switches *s, uint32_t tid, uint64_t time)
{
	static char text[128];
	static const char *const ends[] = { "known", "none", "unknown",
		"lost" };
	struct switch_absence found;
	enum switch_absence_end end = switches_find(s, tid, time, &found);

	if (end != SWITCH_ABSENCE_KNOWN)
		return ends[end];
	snprintf(text, sizeof(text), "%u %u %u%s%s", (unsigned)found.out,
		(unsigned)found.woken, (unsigned)found.in,
		found.is_preempted ? " preempted" : "",
		found.is_open ? " open" : "");
	return text;
}

#define EXPECT(s, time, text) assert_string_equal(find(s, TID, time), text)

static void switch_records_are_paired_by_time(void **state _unused_)
{
	struct switches s = { 0 };

	/* Ring buffers of CPUs are drained one by one. */
	add(&s, SWITCH_IN, 300);
	add(&s, SWITCH_OUT, 400);
	add(&s, SWITCH_IN, 50);
	add(&s, SWITCH_OUT, 100);
	add(&s, SWITCH_WOKEN, 250);
	add(&s, SWITCH_IN, 500);
	switches_finish(&s, 0);
	/* A sample is taken shortly before its switch. */
	EXPECT(&s, 90, "100 250 300");
	EXPECT(&s, 100, "100 250 300");
	EXPECT(&s, 390, "400 500 500");
	EXPECT(&s, 20, "unknown");
	EXPECT(&s, 490, "unknown");
	EXPECT(&s, 600, "unknown");
	assert_string_equal(find(&s, TID + 1, 90), "unknown");
	switches_deinit(&s);
}

static void a_preempted_thread_waits_for_a_cpu(void **state _unused_)
{
	struct switches s = { 0 };

	add(&s, SWITCH_PREEMPTED, 100);
	add(&s, SWITCH_IN, 130);
	switches_finish(&s, 0);
	EXPECT(&s, 99, "100 130 130 preempted");
	switches_deinit(&s);
}

static void the_first_wakeup_after_blocking_ends_the_blocked_time(
	void **state _unused_)
{
	struct switches s = { 0 };

	add(&s, SWITCH_IN, 10);
	/* A wakeup before the thread has blocked. */
	add(&s, SWITCH_WOKEN, 50);
	add(&s, SWITCH_OUT, 100);
	add(&s, SWITCH_WOKEN, 220);
	/* A second event for the same wakeup. */
	add(&s, SWITCH_WOKEN, 210);
	add(&s, SWITCH_IN, 230);
	switches_finish(&s, 0);
	EXPECT(&s, 99, "100 210 230");
	switches_deinit(&s);
}

static void a_thread_woken_while_it_leaves_its_cpu_is_not_blocked(
	void **state _unused_)
{
	struct switches s = { 0 };

	add(&s, SWITCH_IN, 10);
	add(&s, SWITCH_WOKEN, 20);
	add(&s, SWITCH_WOKEN, 99);
	add(&s, SWITCH_OUT, 100);
	add(&s, SWITCH_IN, 150);
	switches_finish(&s, 0);
	EXPECT(&s, 98, "100 100 150");
	switches_deinit(&s);
}

static void a_thread_off_cpu_at_the_end_is_absent_until_the_end(
	void **state _unused_)
{
	struct switches s = { 0 };

	add(&s, SWITCH_OUT, 100);
	switches_finish(&s, 1000);
	EXPECT(&s, 99, "100 1000 1000 open");
	switches_deinit(&s);
	/* Without a time of the end, the last recorded time is used. */
	s = (struct switches){ 0 };
	add(&s, SWITCH_OUT, 100);
	assert_true(switches_add_wakeup(&s, TID + 1, 700));
	switches_finish(&s, 0);
	EXPECT(&s, 99, "100 700 700 open");
	switches_deinit(&s);
}

/* The end time is a text in the recording. */
static void an_invalid_end_of_the_recording_is_limited(void **state _unused_)
{
	struct switches s = { 0 };
	struct switch_absence found;

	add(&s, SWITCH_OUT, 100);
	switches_finish(&s, UINT64_MAX);
	assert_int_equal(
		switches_find(&s, TID, 99, &found), SWITCH_ABSENCE_KNOWN);
	assert_true(found.is_open);
	assert_true(found.in == SWITCHES_TIME_MAX);
	switches_deinit(&s);
}

static void exited_threads_have_no_off_cpu_time(void **state _unused_)
{
	struct switches s = { 0 };

	add(&s, SWITCH_IN, 50);
	add(&s, SWITCH_EXITED, 80);
	add(&s, SWITCH_OUT, 100);
	switches_finish(&s, 1000);
	EXPECT(&s, 99, "none");
	switches_deinit(&s);
	/* Also not until another thread has the same ID. */
	s = (struct switches){ 0 };
	add(&s, SWITCH_EXITED, 80);
	add(&s, SWITCH_OUT, 100);
	add(&s, SWITCH_CREATED, 500);
	add(&s, SWITCH_IN, 510);
	add(&s, SWITCH_OUT, 600);
	switches_finish(&s, 1000);
	EXPECT(&s, 99, "none");
	EXPECT(&s, 599, "600 1000 1000 open");
	switches_deinit(&s);
}

static void the_idle_task_and_threads_without_an_id_are_ignored(
	void **state _unused_)
{
	const struct switch_record idle = { 0, 0, 0, 100 };
	const struct switch_record stranger = { UINT32_MAX, UINT32_MAX, 0,
		100 };
	struct switches s = { 0 };

	assert_true(switches_add(&s, SWITCH_OUT, &idle));
	assert_true(switches_add(&s, SWITCH_OUT, &stranger));
	switches_finish(&s, 1000);
	assert_string_equal(find(&s, 0, 99), "none");
	assert_string_equal(find(&s, UINT32_MAX, 99), "none");
	assert_int_equal(s.threads.n, 0);
	switches_deinit(&s);
}

static void off_cpu_time_with_lost_records_is_not_estimated(
	void **state _unused_)
{
	const struct switch_record other = { 5, TID + 1, 1, 350 };
	struct switches s = { 0 };

	add_at(&s, SWITCH_OUT, 0, 100);
	add_at(&s, SWITCH_IN, 0, 200);
	add_at(&s, SWITCH_OUT, 0, 300);
	/* On CPU 1, records from 350 to 400 may be lost. */
	assert_true(switches_add(&s, SWITCH_IN, &other));
	assert_true(switches_add_loss(&s, 1, 400));
	add_at(&s, SWITCH_IN, 0, 500);
	add_at(&s, SWITCH_OUT, 0, 600);
	add_at(&s, SWITCH_IN, 0, 700);
	switches_finish(&s, 0);
	EXPECT(&s, 90, "100 200 200");
	EXPECT(&s, 290, "lost");
	EXPECT(&s, 590, "600 700 700");
	switches_deinit(&s);
	s = (struct switches){ 0 };
	add_at(&s, SWITCH_OUT, 0, 100);
	add_at(&s, SWITCH_IN, 0, 200);
	add_at(&s, SWITCH_OUT, 0, 300);
	assert_true(switches_add_loss(&s, 1, 400));
	assert_true(switches_add_loss(&s, 1, 420));
	add_at(&s, SWITCH_IN, 0, 500);
	add_at(&s, SWITCH_OUT, 0, 600);
	add_at(&s, SWITCH_IN, 0, 700);
	switches_finish(&s, 0);
	/* All earlier records of CPU 1 may be lost. */
	EXPECT(&s, 90, "lost");
	EXPECT(&s, 290, "lost");
	EXPECT(&s, 590, "600 700 700");
	switches_deinit(&s);
}

static void a_loss_on_an_unknown_cpu_affects_all_earlier_times(
	void **state _unused_)
{
	struct switches s = { 0 };

	add_at(&s, SWITCH_OUT, SWITCHES_NO_CPU, 100);
	add_at(&s, SWITCH_IN, SWITCHES_NO_CPU, 200);
	assert_true(switches_add_loss(&s, SWITCHES_NO_CPU, 300));
	add_at(&s, SWITCH_OUT, SWITCHES_NO_CPU, 400);
	add_at(&s, SWITCH_IN, SWITCHES_NO_CPU, 500);
	switches_finish(&s, 0);
	EXPECT(&s, 99, "lost");
	EXPECT(&s, 399, "400 500 500");
	switches_deinit(&s);
}

static void two_switch_outs_in_a_row_give_an_unknown_off_cpu_time(
	void **state _unused_)
{
	struct switches s = { 0 };

	add(&s, SWITCH_OUT, 100);
	add(&s, SWITCH_OUT, 200);
	add(&s, SWITCH_IN, 300);
	add(&s, SWITCH_IN, 400);
	switches_finish(&s, 0);
	EXPECT(&s, 99, "unknown");
	EXPECT(&s, 199, "200 300 300");
	switches_deinit(&s);
}

static void switch_records_with_invalid_times_are_rejected(
	void **state _unused_)
{
	struct switch_record record = { 5, TID, 0, UINT64_MAX };
	struct switches s = { 0 };

	assert_false(switches_add(&s, SWITCH_OUT, &record));
	assert_false(switches_add_wakeup(&s, TID, SWITCHES_TIME_MAX + 1));
	assert_false(switches_add_loss(&s, UINT32_MAX - 1, 1));
	record.time = SWITCHES_TIME_MAX;
	record.cpu = UINT32_MAX - 1;
	assert_false(switches_add(&s, SWITCH_OUT, &record));
	record.cpu = 0;
	assert_true(switches_add(&s, SWITCH_OUT, &record));
	switches_finish(&s, 0);
	assert_string_equal(find(&s, TID, UINT64_MAX), "unknown");
	switches_deinit(&s);
}

static void see(void *data, const struct switch_record *out)
{
	uint64_t *sum = data;

	assert_int_equal(out->pid, 5);
	assert_int_equal(out->tid, TID);
	*sum += out->time;
}

static void each_stay_off_the_cpu_is_visited_once(void **state _unused_)
{
	struct switches s = { 0 };
	uint64_t sum = 0;

	add(&s, SWITCH_OUT, 100);
	add(&s, SWITCH_WOKEN, 150);
	add(&s, SWITCH_IN, 200);
	add(&s, SWITCH_PREEMPTED, 1000);
	switches_finish(&s, 0);
	switches_each(&s, see, &sum);
	assert_int_equal(sum, 1100);
	switches_deinit(&s);
}

static void see_process(void *data, const struct switch_record *out)
{
	struct strbuf *text = data;

	strbuf_printf(text, "%u %u;", (unsigned)out->time, out->pid);
}

static void a_thread_id_can_belong_to_several_processes(void **state _unused_)
{
	static const struct switch_record records[] = { { 6, TID, 0, 300 },
		{ 5, TID, 1, 100 }, { 5, TID, 1, 150 }, { 6, TID, 0, 400 },
		{ 6, TID, 2, 290 }, { 0, TID, 0, 500 } };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct switches s = { 0 };
	size_t i;

	assert_true(switches_is_new(&s, 5, TID));
	for (i = 0; i < ARRAY_SIZE(records); i++)
		assert_true(switches_add(&s, SWITCH_OUT, &records[i]));
	assert_false(switches_is_new(&s, 6, TID));
	assert_false(switches_is_new(&s, 0, TID));
	assert_true(switches_is_new(&s, 5, TID));
	switches_finish(&s, 0);
	switches_each(&s, see_process, &text);
	assert_string_equal(text.at, "100 5;150 5;290 6;300 6;400 6;500 6;");
	switches_deinit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switch_records_are_paired_by_time),
		cmocka_unit_test(a_preempted_thread_waits_for_a_cpu),
		cmocka_unit_test(
			the_first_wakeup_after_blocking_ends_the_blocked_time),
		cmocka_unit_test(
			a_thread_woken_while_it_leaves_its_cpu_is_not_blocked),
		cmocka_unit_test(
			a_thread_off_cpu_at_the_end_is_absent_until_the_end),
		cmocka_unit_test(an_invalid_end_of_the_recording_is_limited),
		cmocka_unit_test(exited_threads_have_no_off_cpu_time),
		cmocka_unit_test(
			the_idle_task_and_threads_without_an_id_are_ignored),
		cmocka_unit_test(
			off_cpu_time_with_lost_records_is_not_estimated),
		cmocka_unit_test(
			a_loss_on_an_unknown_cpu_affects_all_earlier_times),
		cmocka_unit_test(
			two_switch_outs_in_a_row_give_an_unknown_off_cpu_time),
		cmocka_unit_test(
			switch_records_with_invalid_times_are_rejected),
		cmocka_unit_test(each_stay_off_the_cpu_is_visited_once),
		cmocka_unit_test(a_thread_id_can_belong_to_several_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
