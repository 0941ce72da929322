/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "testing.h"

#include "record/drain.h"

#define RING_SIZE KIB(64)
#define SAMPLE_ID_OF_EVENT 500u /* what the kernel calls it on one CPU */
#define CANONICAL 100u
#define SIDEBAND_ID 700u
#define SIDEBAND_CANONICAL 200u

/* One CPU's two rings in plain memory. */
struct fixture {
	struct perf_event_mmap_page pages[2];
	uint8_t data[2][RING_SIZE];
	struct opened_ring sideband, samples;
	struct selection selection;
	struct target target;
	struct opened opened;
	struct sample_layout layout;
	struct queue *queue;
	struct intake *intake;
	struct drain *drain;
};

static void add_fd(struct fixture *f, uint32_t event, uint64_t id)
{
	hash_insert(&f->opened.by_id, hash_words(id, 0),
		(uint32_t)f->opened.fds.n);
	*array_push(&f->opened.fds) =
		(struct opened_fd){ .fd = -1, .event = event, .id = id };
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sampling sampling = { .frequency = 100 };
	const struct pmus no_pmus = { 0 };

	assert_non_null(f);
	assert_no_error(
		selection_add(&f->selection, "cpu-clock", &no_pmus));
	selection_configure(&f->selection, &sampling);
	f->selection.events.at[0].id = CANONICAL;
	f->sideband.ring =
		(struct ring){ &f->pages[0], f->data[0], RING_SIZE, 0 };
	f->samples.ring =
		(struct ring){ &f->pages[1], f->data[1], RING_SIZE, 0 };
	*array_push(&f->target.online.list) = 0;
	f->opened = (struct opened){
		.selection = &f->selection,
		.target = &f->target,
		.sideband_attr = event_sideband(false, true),
		.sideband_id = SIDEBAND_CANONICAL,
		.sideband = &f->sideband,
		.samples = &f->samples,
		.n_rings = 1,
	};
	add_fd(f, 0, CANONICAL);
	add_fd(f, 0, SAMPLE_ID_OF_EVENT);
	add_fd(f, 1, SIDEBAND_CANONICAL);
	add_fd(f, 1, SIDEBAND_ID);
	sample_layout_init(&f->layout, &f->opened.sideband_attr);
	f->queue = queue_create(MIB(1));
	f->intake = intake_create(&f->opened, f->queue);
	assert_no_error(drain_create(&f->opened, f->intake, &f->drain));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	drain_destroy(f->drain);
	intake_destroy(f->intake);
	queue_destroy(f->queue);
	selection_deinit(&f->selection);
	array_free(&f->opened.fds);
	array_free(&f->target.online.list);
	hash_free(&f->opened.by_id);
	free(f);
	return 0;
}

static void write_bytes(
	struct fixture *f, unsigned which, const void *bytes, size_t size)
{
	uint64_t head = f->pages[which].data_head;
	size_t i;

	for (i = 0; i < size; i++)
		f->data[which][(head + i) % RING_SIZE] =
			((const uint8_t *)bytes)[i];
	f->pages[which].data_head = head + size;
}

/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD. */
static void write_sample(struct fixture *f, uint64_t id, uint64_t time)
{
	const uint64_t fields[] = { id, 0x1234, 7, time, 0, 1 };
	struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(header) + sizeof(fields) };

	write_bytes(f, 1, &header, sizeof(header));
	write_bytes(f, 1, fields, sizeof(fields));
}

static void write_comm(struct fixture *f, uint64_t time)
{
	struct record_comm comm = { .pid = 7, .tid = 7, .comm = "seven" };
	struct sample_id id = { .id = SIDEBAND_ID, .time = time };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct strbuf record = { 0 };

	sample_id_write(&f->layout, &id, trailer);
	record_write_comm(&record, &comm, trailer, f->layout.trailer_size);
	write_bytes(f, 0, record.at, record.n);
	strbuf_free(&record);
}

static void test_sideband_goes_before_samples(void **state)
{
	struct fixture *f = *state;
	struct queue_block *first, *second;

	write_sample(f, SAMPLE_ID_OF_EVENT, 20);
	write_sample(f, SAMPLE_ID_OF_EVENT, 30);
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
	/* All of the rings' space is the kernel's again. */
	assert_int_equal(f->pages[0].data_tail, f->pages[0].data_head);
	assert_int_equal(f->pages[1].data_tail, f->pages[1].data_head);
}

static uint64_t id_of(struct fixture *f, const struct queue_block *block)
{
	struct record record;
	uint64_t id = 0;

	assert_true(record_at(
		block->raw, block->info.raw_size, false, &record));
	assert_true(sample_peek_id(&f->layout, &record, &id));
	return id;
}

static void test_ids_become_canonical(void **state)
{
	struct fixture *f = *state;
	struct queue_block *block;

	write_sample(f, SAMPLE_ID_OF_EVENT, 20);
	write_comm(f, 10);
	drain_finish(f->drain);
	block = queue_take(f->queue);
	assert_int_equal(id_of(f, block), SIDEBAND_CANONICAL);
	queue_give_back(f->queue, block);
	block = queue_take(f->queue);
	assert_int_equal(id_of(f, block), CANONICAL);
	queue_give_back(f->queue, block);
}

static void test_lost_names_its_event(void **state)
{
	struct fixture *f = *state;
	struct record_lost lost;
	struct queue_block *block;
	struct record record;
	uint64_t payload[] = { SAMPLE_ID_OF_EVENT, 5, 7, 40, 0,
		SAMPLE_ID_OF_EVENT };
	struct perf_event_header header = { RECORD_LOST, 0,
		sizeof(header) + sizeof(payload) };

	write_bytes(f, 1, &header, sizeof(header));
	write_bytes(f, 1, payload, sizeof(payload));
	drain_finish(f->drain);
	assert_int_equal(counts_sum(intake_counts(f->intake), 0).lost_records,
		5);
	block = queue_take(f->queue);
	assert_int_equal(block->info.kind, BLOCK_SIDEBAND);
	record_at(block->raw, block->info.raw_size, false, &record);
	assert_true(record_read_lost(&record, &lost));
	assert_int_equal(lost.id, CANONICAL);
	assert_int_equal(id_of(f, block), CANONICAL);
	queue_give_back(f->queue, block);
}

static void test_full_queue_drops_samples_only(void **state)
{
	struct fixture *f = *state;
	unsigned i, written = 0;
	struct count count;

	/* Nobody takes: 2 MiB are full after some 37,000 of 56 bytes. */
	for (i = 0; i < 40; i++) {
		for (; written < (i + 1) * 1000; written++)
			write_sample(f, CANONICAL, written + 1);
		write_comm(f, written);
		drain_round(f->drain);
	}
	count = counts_sum(intake_counts(f->intake), 0);
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

static void test_injected_records_join_the_sideband(void **state)
{
	struct fixture *f = *state;
	struct queue_block *block;
	struct strbuf records = { 0 };
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];
	struct sample_id id = { .id = CANONICAL, .time = 99 };

	sample_id_write(&f->layout, &id, trailer);
	record_write_lost_samples(
		&records, 3, trailer, f->layout.trailer_size);
	drain_inject(f->drain, &records);
	strbuf_free(&records);
	drain_finish(f->drain);
	block = queue_take(f->queue);
	assert_int_equal(block->info.kind, BLOCK_SIDEBAND);
	assert_int_equal(block->info.last_time, 99);
	assert_int_equal(id_of(f, block), CANONICAL);
	queue_give_back(f->queue, block);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_sideband_goes_before_samples),
		TEST(test_ids_become_canonical),
		TEST(test_lost_names_its_event),
		TEST(test_full_queue_drops_samples_only),
		TEST(test_injected_records_join_the_sideband),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
