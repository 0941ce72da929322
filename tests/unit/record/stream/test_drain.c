/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "tests/unit/make_rings.h"

#define RING_SIZE KIB(64)

static int set_up(void **state)
{
	*state = rings_create(1, RING_SIZE, 0);
	return 0;
}

static int tear_down(void **state)
{
	rings_destroy(*state);
	return 0;
}

static void write_sample(struct rings *f, uint64_t id, uint64_t time)
{
	assert_true(rings_put_sample(f, 0, id, 0x1234, time));
}

static void write_comm(struct rings *f, uint64_t time)
{
	assert_true(rings_put_comm(f, 0, time));
}

static void assert_empty(const struct ring *ring)
{
	assert_int_equal(ring->page->data_tail, ring->page->data_head);
}

static void sideband_is_queued_before_samples(void **state)
{
	struct rings *f = *state;
	struct queue_block *first, *second;

	write_sample(f, RINGS_ID, 20);
	write_sample(f, RINGS_ID, 30);
	write_comm(f, 10);
	drain_finish(f->drain);
	first = queue_take(f->queue);
	second = queue_take(f->queue);
	assert_int_equal(first->info.kind, BLOCK_SIDEBAND);
	assert_int_equal(first->info.records, 1);
	assert_int_equal(first->info.samples, 0);
	assert_int_equal(first->info.first_time, 10);
	assert_int_equal(second->info.kind, BLOCK_SAMPLES);
	assert_int_equal(second->info.records, 2);
	assert_int_equal(second->info.samples, 2);
	assert_int_equal(second->info.first_time, 20);
	assert_int_equal(second->info.last_time, 30);
	assert_true(first->until > 0);
	queue_give_back(f->queue, first);
	queue_give_back(f->queue, second);
	/* All space of the ring buffers is released. */
	assert_empty(&f->sideband[0].ring);
	assert_empty(&f->samples[0].ring);
}

static uint64_t id_of(struct rings *f, const struct queue_block *block)
{
	struct record record;
	uint64_t id = 0;

	assert_true(
		record_at(block->raw, block->info.raw_size, false, &record));
	assert_true(sample_peek_id(&f->layout, &record, &id));
	return id;
}

static void event_ids_of_records_become_canonical(void **state)
{
	struct rings *f = *state;
	struct queue_block *block;

	write_sample(f, RINGS_ID, 20);
	write_comm(f, 10);
	drain_finish(f->drain);
	block = queue_take(f->queue);
	assert_int_equal(id_of(f, block), RINGS_SIDEBAND_CANONICAL);
	queue_give_back(f->queue, block);
	block = queue_take(f->queue);
	assert_int_equal(id_of(f, block), RINGS_CANONICAL);
	queue_give_back(f->queue, block);
}

static void lost_records_get_canonical_event_ids(void **state)
{
	struct rings *f = *state;
	struct ring *ring = &f->samples[0].ring;
	struct record_lost lost;
	struct queue_block *block;
	struct record record;
	uint64_t payload[] = { RINGS_ID, 5, 7, 40, 0, RINGS_ID };
	struct perf_event_header header = { RECORD_LOST, 0,
		sizeof(header) + sizeof(payload) };

	assert_true(rings_put(ring, &header, sizeof(header)));
	assert_true(rings_put(ring, payload, sizeof(payload)));
	drain_finish(f->drain);
	assert_int_equal(
		recorded_counts_sum(intake_counts(f->intake), 0).lost_records,
		5);
	block = queue_take(f->queue);
	assert_int_equal(block->info.kind, BLOCK_SIDEBAND);
	record_at(block->raw, block->info.raw_size, false, &record);
	assert_true(record_read_lost(&record, &lost));
	assert_int_equal(lost.id, RINGS_CANONICAL);
	assert_int_equal(id_of(f, block), RINGS_CANONICAL);
	queue_give_back(f->queue, block);
}

static void throttle_records_are_counted(void **state)
{
	struct rings *f = *state;
	struct ring *ring = &f->samples[0].ring;
	/* time, id, stream id; then the trailer: TID, TIME, CPU, IDENTIFIER. */
	uint64_t payload[] = { 40, RINGS_ID, 0, 7, 40, 0, RINGS_ID };
	struct perf_event_header header = { RECORD_THROTTLE, 0,
		sizeof(header) + sizeof(payload) };
	struct recorded_count count;

	assert_true(rings_put(ring, &header, sizeof(header)));
	assert_true(rings_put(ring, payload, sizeof(payload)));
	header.type = RECORD_UNTHROTTLE;
	assert_true(rings_put(ring, &header, sizeof(header)));
	assert_true(rings_put(ring, payload, sizeof(payload)));
	drain_finish(f->drain);
	count = recorded_count_read(
		recorded_counts_at(intake_counts(f->intake), 0, 0));
	assert_int_equal(count.throttled, 1);
	assert_int_equal(count.lost_records, 0);
}

static void samples_of_the_recorder_itself_are_counted(void **state)
{
	struct rings *f = *state;
	uint64_t words[7] = { 0, RINGS_ID, 0x1234, (uint32_t)getpid(), 10, 0,
		1 };
	const struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(words) };

	memcpy(words, &header, sizeof(header));
	assert_true(rings_put(&f->samples[0].ring, words, sizeof(words)));
	write_sample(f, RINGS_ID, 20);
	drain_finish(f->drain);
	assert_int_equal(intake_counts(f->intake)->own, 1);
	assert_int_equal(
		recorded_counts_sum(intake_counts(f->intake), 0).samples, 2);
}

static void a_full_queue_drops_only_samples(void **state)
{
	struct rings *f = *state;
	unsigned i, written = 0;
	struct recorded_count count;

	/*
	 * The queue is not read: two blocks are full after about 37,000 records
	 * of 56 bytes.
	 */
	for (i = 0; i < 40; i++) {
		for (; written < (i + 1) * 1000; written++)
			write_sample(f, RINGS_CANONICAL, written + 1);
		write_comm(f, written);
		drain_round(f->drain);
	}
	count = recorded_counts_sum(intake_counts(f->intake), 0);
	assert_true(count.dropped > 0);
	assert_int_equal(count.samples + count.dropped, written);
	drain_finish(f->drain);
	queue_close(f->queue);
	for (i = 0;;) {
		struct queue_block *block = queue_take(f->queue);

		if (!block)
			break;
		if (block->info.kind == BLOCK_SIDEBAND)
			i += block->info.records;
		queue_give_back(f->queue, block);
	}
	assert_int_equal(i, 40);
}

static void injected_records_are_queued_as_sideband(void **state)
{
	struct rings *f = *state;
	struct queue_block *block;
	struct strbuf records = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct sample_id id = { .id = RINGS_CANONICAL, .time = 99 };

	sample_id_write(&f->layout, &id, trailer);
	record_write_lost_samples(&records, 3, trailer, f->layout.trailer_size);
	drain_inject(f->drain, &records);
	strbuf_free(&records);
	drain_finish(f->drain);
	block = queue_take(f->queue);
	assert_int_equal(block->info.kind, BLOCK_SIDEBAND);
	assert_int_equal(block->info.last_time, 99);
	assert_int_equal(id_of(f, block), RINGS_CANONICAL);
	queue_give_back(f->queue, block);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sideband_is_queued_before_samples),
		TEST(event_ids_of_records_become_canonical),
		TEST(lost_records_get_canonical_event_ids),
		TEST(throttle_records_are_counted),
		TEST(samples_of_the_recorder_itself_are_counted),
		TEST(a_full_queue_drops_only_samples),
		TEST(injected_records_are_queued_as_sideband),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
