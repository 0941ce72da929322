/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing thread is stopped for ten seconds, by a clock that this test
 * controls, while records arrive. The drain follows its policy
 * (doc/architecture.md).
 */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/util/clock.h"
#include "tests/unit/make_rings.h"
#include "record/stream/losses.h"

#define CPUS 2u
#define HELD_MS 10000u
#define QUEUE_LIMIT MIB(5)
/* Sideband that exceeds the limit of the queue alone. */
#define COMMS_PER_MS 10u

#define COMM_SIZE_MAX 80u

static uint64_t now_ns = 1000 * NSEC_PER_SEC;

/* Replaces the function of the C library in this program. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	(void)clock;
	ret->tv_sec = (time_t)(now_ns / NSEC_PER_SEC);
	ret->tv_nsec = (long)(now_ns % NSEC_PER_SEC);
	return 0;
}

struct fixture {
	struct rings *rings;
	struct losses *losses;
	uint64_t written[CPUS]; /* also the number of the last sample */
	uint64_t comms;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->rings = rings_create(CPUS, KIB(16), QUEUE_LIMIT);
	f->losses = losses_create(
		&f->rings->opened, f->rings->intake, f->rings->drain);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	losses_destroy(f->losses);
	rings_destroy(f->rings);
	free(f);
	return 0;
}

/* CPU 1 has three times as many records. */
static void write_ms(struct fixture *f, uint64_t ms)
{
	uint32_t cpu;
	uint64_t i;

	now_ns += NSEC_PER_MSEC;
	for (i = 0; i < COMMS_PER_MS; i++, f->comms++)
		assert_true(rings_put_comm(f->rings, ms % CPUS, now_ns));
	for (cpu = 0; cpu < CPUS; cpu++)
		for (i = 0; i < 4 + 8 * cpu; i++)
			assert_true(rings_put_sample(f->rings, cpu, RINGS_ID,
				++f->written[cpu], now_ns));
}

static void assert_rings_are_free(const struct rings *rings)
{
	uint32_t cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		const struct ring *samples = &rings->samples[cpu].ring;
		const struct ring *sideband = &rings->sideband[cpu].ring;

		assert_int_equal(
			samples->page->data_tail, samples->page->data_head);
		assert_int_equal(
			sideband->page->data_tail, sideband->page->data_head);
	}
}

static struct recorded_count count_of(
	struct fixture *f, uint32_t event, uint32_t cpu)
{
	return recorded_count_read(recorded_counts_at(
		intake_counts(f->rings->intake), event, cpu));
}

/* What the writer finds when it runs again. */
struct found {
	uint64_t samples[CPUS], comms;
	bool is_first_part; /* samples of each CPU, without a gap */
	uint64_t not_full;  /* blocks of samples */
};

static void see(struct found *found, const struct record *record)
{
	uint64_t ip, cpu;

	if (record->type != RECORD_SAMPLE) {
		found->comms++;
		return;
	}
	memcpy(&ip, record->data + 16, sizeof(ip));
	memcpy(&cpu, record->data + 40, sizeof(cpu));
	if (ip != ++found->samples[cpu])
		found->is_first_part = false;
}

static struct found take_all(struct rings *rings)
{
	struct found found = { .is_first_part = true };

	while (!queue_is_empty(rings->queue)) {
		struct queue_block *block = queue_take(rings->queue);
		size_t at = 0;
		struct record record;

		for (; record_at(block->raw + at, block->info.raw_size - at,
			     false, &record);
			at += record.size)
			see(&found, &record);
		if (block->info.kind == BLOCK_SAMPLES &&
			at + RINGS_SAMPLE_SIZE <=
				queue_block_size(rings->queue))
			found.not_full++;
		queue_give_back(rings->queue, block);
	}
	return found;
}

static void hold(struct fixture *f)
{
	uint64_t ms;

	for (ms = 0; ms < HELD_MS; ms++) {
		write_ms(f, ms);
		drain_round(f->rings->drain);
		/* The ring buffers are released in any case. */
		assert_rings_are_free(f->rings);
	}
}

/* The samples of each CPU until the memory is used, and all sideband. */
static void while_the_writer_hangs_samples_are_dropped_and_sideband_kept(
	void **state)
{
	struct fixture *f = *state;
	struct found found;
	const struct loss *lines;
	uint32_t cpu;
	size_t n;

	hold(f);
	losses_read(f->losses);
	lines = losses_all(f->losses, &n);
	/* Samples use no more than the limit; sideband uses what it needs. */
	assert_in_range(queue_peak_bytes(f->rings->queue), QUEUE_LIMIT,
		QUEUE_LIMIT + f->comms * COMM_SIZE_MAX);
	intake_flush(f->rings->intake);
	found = take_all(f->rings);
	assert_true(found.is_first_part);
	assert_int_equal(found.comms, f->comms);
	/* The first block was flushed once, because the queue was empty. */
	assert_in_range(found.not_full, 0, 2);
	for (cpu = 0; cpu < CPUS; cpu++) {
		struct recorded_count count = count_of(f, 0, cpu);

		assert_int_equal(count.samples, found.samples[cpu]);
		assert_int_equal(
			count.samples + count.dropped, f->written[cpu]);
		assert_true(count.dropped > 0);
		assert_int_equal(count_of(f, 1, cpu).dropped, 0);
		/* Reported with event, CPU and cause. */
		assert_int_equal(lines[cpu].id, RINGS_CANONICAL);
		assert_int_equal(lines[cpu].cpu, cpu);
		assert_int_equal(lines[cpu].dropped, count.dropped);
		assert_int_equal(lines[cpu].kernel, 0);
	}
}

static void recording_continues_normally_after_the_writer_hung(void **state)
{
	struct fixture *f = *state;
	uint64_t dropped, ms, flushes = 0;

	hold(f);
	dropped =
		recorded_counts_sum(intake_counts(f->rings->intake), 0).dropped;
	intake_flush(f->rings->intake);
	take_all(f->rings);
	for (ms = 0; ms < 2000; ms++) {
		write_ms(f, ms);
		drain_round(f->rings->drain);
		flushes += take_all(f->rings).samples[0] > 0;
	}
	/*
	 * Samples are flushed at once, then after 40, 80, 160, 320, 640 and
	 * each 700 milliseconds.
	 */
	assert_int_equal(flushes, 1 + 6);
	assert_int_equal(
		recorded_counts_sum(intake_counts(f->rings->intake), 0).dropped,
		dropped);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(while_the_writer_hangs_samples_are_dropped_and_sideband_kept),
		TEST(recording_continues_normally_after_the_writer_hung),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
