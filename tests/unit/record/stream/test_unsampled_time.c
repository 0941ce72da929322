/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time without a sample, from files in place of event descriptors. */
#include "config.h"

#include "tests/unit/testing.h"

#include <sys/mman.h>

#include "common/util/clock.h"
#include "record/stream/unsampled_time.h"
#include "tests/unit/make_rings.h"

#define PERIOD_NS (10 * NSEC_PER_MSEC) /* make_rings.c: 100 Hz */

/* A clock event with one descriptor, and the counts of its samples. */
struct bench {
	struct rings *rings;
	struct recorded_counts counts;
	struct unsampled_time *time;
	int fd;
};

static struct bench create_bench(void)
{
	struct bench bench = { .rings = rings_create(1, KIB(64), MIB(1)),
		.fd = memfd_create("event", 0) };

	bench.rings->opened.fds.at[1].fd = bench.fd;
	recorded_counts_init(&bench.counts, 2, 0);
	bench.time = unsampled_time_create(&bench.rings->opened, &bench.counts);
	return bench;
}

static void free_bench(struct bench *bench)
{
	unsampled_time_destroy(bench->time);
	recorded_counts_deinit(&bench->counts);
	rings_destroy(bench->rings);
	close(bench->fd);
}

/* The event has counted so much, and lost so many samples, since the start. */
static void answer_read(
	const struct bench *bench, uint64_t cpu_ns, uint64_t lost)
{
	const uint64_t words[] = { cpu_ns, RINGS_ID, lost };

	assert_int_equal(
		pwrite(bench->fd, words, sizeof(words), 0), sizeof(words));
	assert_int_equal(lseek(bench->fd, 0, SEEK_SET), 0);
}

/* The entry of the file that ends now; all 0 if there is none. */
static struct section_unsampled end_file(struct bench *bench)
{
	_cleanup_strbuf_ struct strbuf section = { 0 };
	struct section_unsampled entry = { 0 };
	struct bytes b;

	unsampled_time_read(bench->time, clock_now_ns());
	unsampled_time_end_file(bench->time, &bench->counts, &section);
	if (!section.n)
		return entry;
	b = bytes_of((const uint8_t *)section.at, section.n, false);
	assert_true(section_unsampled_read(&b, &entry));
	assert_int_equal(bytes_left(&b), 0);
	assert_int_equal(entry.id, RINGS_CANONICAL);
	return entry;
}

static void recorded_dropped_and_lost_samples_count_as_sampled_time(
	void **state)
{
	struct bench bench = create_bench();
	struct section_unsampled entry;

	(void)state;
	*recorded_counts_at(&bench.counts, 0, 0) = (struct recorded_count){
		.samples = 50, .dropped = 10, .left_out = 20
	};
	answer_read(&bench, 100 * PERIOD_NS, 8);
	entry = end_file(&bench);
	assert_int_equal(entry.cpu_ns, 100 * PERIOD_NS);
	assert_int_equal(entry.unsampled_ns, 12 * PERIOD_NS);
	free_bench(&bench);
}

static void unsampled_time_of_up_to_5_percent_is_not_reported(void **state)
{
	struct bench bench = create_bench();

	(void)state;
	recorded_counts_at(&bench.counts, 0, 0)->samples = 95;
	answer_read(&bench, 100 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	free_bench(&bench);
}

static void each_file_reports_the_unsampled_time_of_its_own_duration(
	void **state)
{
	struct bench bench = create_bench();
	struct section_unsampled entry;

	(void)state;
	recorded_counts_at(&bench.counts, 0, 0)->samples = 50;
	answer_read(&bench, 100 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).unsampled_ns, 50 * PERIOD_NS);
	recorded_counts_at(&bench.counts, 0, 0)->samples = 150;
	answer_read(&bench, 200 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	recorded_counts_at(&bench.counts, 0, 0)->samples = 170;
	answer_read(&bench, 300 * PERIOD_NS, 0);
	entry = end_file(&bench);
	assert_int_equal(entry.cpu_ns, 100 * PERIOD_NS);
	assert_int_equal(entry.unsampled_ns, 80 * PERIOD_NS);
	free_bench(&bench);
}

/* The counter of a throttled event is wrong in both directions. */
static void a_file_with_a_throttled_event_reports_no_unsampled_time(
	void **state)
{
	struct bench bench = create_bench();

	(void)state;
	*recorded_counts_at(&bench.counts, 0, 0) =
		(struct recorded_count){ .samples = 50, .throttled = 1 };
	answer_read(&bench, 100 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	/* The event was not throttled during the next file. */
	recorded_counts_at(&bench.counts, 0, 0)->samples = 100;
	answer_read(&bench, 200 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).unsampled_ns, 50 * PERIOD_NS);
	free_bench(&bench);
}

static void the_last_ticks_of_short_threads_are_not_unsampled_time(void **state)
{
	struct bench bench = create_bench();

	(void)state;
	bench.counts.forks = 100;
	recorded_counts_at(&bench.counts, 0, 0)->samples = 50;
	answer_read(&bench, 100 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	/* A file without new threads has an entry. */
	answer_read(&bench, 200 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).unsampled_ns, 100 * PERIOD_NS);
	free_bench(&bench);
}

static void an_offline_cpu_keeps_its_last_count(void **state)
{
	struct bench bench = create_bench();

	(void)state;
	recorded_counts_at(&bench.counts, 0, 0)->samples = 50;
	answer_read(&bench, 100 * PERIOD_NS, 0);
	assert_int_equal(end_file(&bench).unsampled_ns, 50 * PERIOD_NS);
	assert_int_equal(ftruncate(bench.fd, 0), 0);
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	free_bench(&bench);
}

static void events_other_than_the_timer_report_no_unsampled_time(void **state)
{
	struct bench bench = create_bench();
	struct perf_event_attr *attr =
		&bench.rings->selection.events.at[0].attr;
	const struct perf_event_attr clock = *attr;

	(void)state;
	answer_read(&bench, 100 * PERIOD_NS, 0);
	attr->exclude_kernel = true;
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	*attr = clock;
	attr->config = PERF_COUNT_SW_PAGE_FAULTS;
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	*attr = clock;
	attr->read_format &= ~(uint64_t)ABI_FORMAT_LOST;
	assert_int_equal(end_file(&bench).cpu_ns, 0);
	*attr = clock;
	assert_int_equal(end_file(&bench).unsampled_ns, 100 * PERIOD_NS);
	free_bench(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			recorded_dropped_and_lost_samples_count_as_sampled_time),
		cmocka_unit_test(
			unsampled_time_of_up_to_5_percent_is_not_reported),
		cmocka_unit_test(
			each_file_reports_the_unsampled_time_of_its_own_duration),
		cmocka_unit_test(
			a_file_with_a_throttled_event_reports_no_unsampled_time),
		cmocka_unit_test(
			the_last_ticks_of_short_threads_are_not_unsampled_time),
		cmocka_unit_test(an_offline_cpu_keeps_its_last_count),
		cmocka_unit_test(
			events_other_than_the_timer_report_no_unsampled_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
