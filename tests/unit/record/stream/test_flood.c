/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <poll.h>
#include <pthread.h>

#include "common/util/array.h"
#include "common/util/clock.h"
#include "tests/unit/make_rings.h"

#define PATIENCE_NS (60 * NSEC_PER_SEC) /* timeout of a test */

static void wait_a_little(void)
{
	poll(NULL, 0, 1);
}

/* Waits for space while the drain makes progress. */
static void put_sample(struct rings *f, size_t cpu, uint64_t ip, uint64_t time)
{
	uint64_t start = clock_now_ns();

	while (!rings_put_sample(f, cpu, RINGS_ID, ip, time)) {
		if (clock_now_ns() - start > PATIENCE_NS)
			fail_msg("the drain has stopped");
		wait_a_little();
	}
}

static void put_comm(struct rings *f, size_t cpu, uint64_t time)
{
	uint64_t start = clock_now_ns();

	while (!rings_put_comm(f, cpu, time)) {
		if (clock_now_ns() - start > PATIENCE_NS)
			fail_msg("the drain has stopped");
		wait_a_little();
	}
}

/* The records that were read from the queue. */
struct seen {
	uint64_t samples, comms;
	uint64_t last_ip[64]; /* by CPU */
	bool is_ordered; /* samples of a CPU, and those that follow their COMM
			  */
};

static void see_sample(struct seen *seen, const struct record *record)
{
	uint64_t ip, comms, cpu;

	memcpy(&ip, record->data + 16, sizeof(ip));
	memcpy(&cpu, record->data + 40, sizeof(cpu));
	comms = ip >> 32;
	if (ip <= seen->last_ip[cpu] || comms > seen->comms)
		seen->is_ordered = false;
	seen->last_ip[cpu] = ip;
	seen->samples++;
}

static void take_all(struct rings *f, struct seen *seen)
{
	struct queue_block *block;

	while ((block = queue_take(f->queue))) {
		const uint8_t *at = block->raw;
		size_t left = block->info.raw_size;
		struct record record;

		for (; record_at(at, left, false, &record);
			at += record.size, left -= record.size)
			if (record.type == RECORD_SAMPLE)
				see_sample(seen, &record);
			else
				seen->comms++;
		assert_int_equal(left, 0);
		queue_give_back(f->queue, block);
	}
}

/*
 * The queue is not read while the ring buffers are filled five hundred times.
 * The drain must go on: ring space is released, all sideband is kept, and
 * samples beyond the memory of the queue are dropped and counted.
 */
static void a_stopped_writer_does_not_block_the_drain(void **state)
{
	struct rings *f = rings_create(2, KIB(16), MIB(5));
	const uint64_t rounds = 500, per_round = KIB(16) / RINGS_SAMPLE_SIZE;
	struct seen seen = { .is_ordered = true };
	uint64_t round, i, written = 0, time = 0;
	struct recorded_count count;

	(void)state;
	assert_no_error(drain_start(f->drain, 0));
	for (round = 0; round < rounds; round++) {
		put_comm(f, round % 2, ++time);
		for (i = 0; i < per_round; i++, written++)
			put_sample(f, written % 2,
				(round + 1) << 32 | (written + 1), ++time);
	}
	drain_stop(f->drain);
	drain_finish(f->drain);
	queue_close(f->queue);
	take_all(f, &seen);
	count = recorded_counts_sum(intake_counts(f->intake), 0);
	assert_int_equal(count.samples + count.dropped, written);
	assert_int_equal(count.samples, seen.samples);
	/*
	 * All memory of the queue was used, and no more: three full blocks, and the first one,
	 * which can be flushed early.
	 */
	assert_in_range(count.samples, 3 * (BLOCK_RAW_MAX / RINGS_SAMPLE_SIZE),
		MIB(4) / RINGS_SAMPLE_SIZE);
	assert_true(count.dropped > 0);
	assert_int_equal(seen.comms, rounds);
	assert_true(seen.is_ordered);
	rings_destroy(f);
}

/*
 * No record of many ring buffers with different amounts is lost or read twice.
 */
static void many_ring_buffers_are_drained_completely(void **state)
{
	struct rings *f = rings_create(64, KIB(16), MIB(64));
	struct seen seen = { .is_ordered = true };
	uint64_t written = 0, i, cpu;

	(void)state;
	assert_no_error(drain_start(f->drain, 0));
	for (i = 1; i <= 1000; i++)
		for (cpu = 0; cpu < 64; cpu++)
			if (i % (cpu + 1) == 0) {
				put_sample(f, cpu, i, i);
				written++;
			}
	drain_stop(f->drain);
	drain_finish(f->drain);
	queue_close(f->queue);
	take_all(f, &seen);
	assert_int_equal(seen.samples, written);
	assert_true(seen.is_ordered);
	for (cpu = 0; cpu < 64; cpu++) {
		const struct ring *ring = &f->samples[cpu].ring;

		assert_int_equal(ring->page->data_tail, ring->page->data_head);
		assert_int_equal(
			recorded_count_read(
				recorded_counts_at(intake_counts(f->intake), 0,
					(uint32_t)cpu))
				.samples,
			1000 / (cpu + 1));
	}
	rings_destroy(f);
}

/*
 * A descriptor whose task has exited is always readable (POLLHUP), like a pipe
 * without a writer. Rounds nevertheless happen at most once per millisecond,
 * and the ring buffer is drained.
 */
static void an_exited_task_does_not_cause_busy_polling(void **state)
{
	struct rings *f = rings_create(1, KIB(16), MIB(4));
	const struct recorded_count *count =
		recorded_counts_at(intake_counts(f->intake), 0, 0);
	uint64_t start, rounds, elapsed_ms, i;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[1]);
	f->samples[0].owner = fds[0];
	start = clock_now_ns();
	assert_no_error(drain_start(f->drain, 0));
	for (i = 0; i < 20; i++) {
		put_sample(f, 0, i + 1, i + 1);
		poll(NULL, 0, 10);
	}
	while (recorded_count_read(count).samples < 20) {
		assert_true(clock_now_ns() - start < PATIENCE_NS);
		wait_a_little();
	}
	drain_stop(f->drain);
	rounds = drain_rounds(f->drain);
	elapsed_ms = (clock_now_ns() - start) / NSEC_PER_MSEC;
	/* One for the start, one for POLLHUP, one for the end. */
	assert_in_range(rounds, 1, elapsed_ms + 3);
	close(fds[0]);
	rings_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stopped_writer_does_not_block_the_drain),
		cmocka_unit_test(many_ring_buffers_are_drained_completely),
		cmocka_unit_test(an_exited_task_does_not_cause_busy_polling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
