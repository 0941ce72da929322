/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/ring/ring.h"

#define RING_SIZE 4096u

struct fixture {
	struct perf_event_mmap_page page;
	uint8_t data[RING_SIZE];
	uint8_t scratch[RECORD_SIZE_MAX + 1];
	struct ring ring;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->ring = (struct ring){ &f->page, f->data, RING_SIZE, 0 };
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

/* Writes a record of SIZE bytes filled with MARK, as the kernel does. */
static void write_record(struct fixture *f, uint16_t size, uint8_t mark)
{
	uint64_t head = f->page.data_head;
	uint8_t record[RECORD_SIZE_MAX + 1];
	struct perf_event_header header = { .type = 9, .size = size };
	size_t i;

	memset(record, mark, sizeof(record));
	memcpy(record, &header, sizeof(header));
	for (i = 0; i < size; i++)
		f->data[(head + i) % RING_SIZE] = record[i];
	f->page.data_head = head + size;
}

static void assert_record(struct fixture *f, uint16_t size, uint8_t mark)
{
	const struct perf_event_header *header =
		ring_next(&f->ring, ring_head(&f->ring), f->scratch);
	const uint8_t *raw = (const uint8_t *)header;
	size_t i;

	assert_non_null(header);
	assert_int_equal(header->size, size);
	for (i = sizeof(*header); i < size; i++)
		assert_int_equal(raw[i], mark);
}

static void an_empty_ring_buffer_has_no_records(void **state)
{
	struct fixture *f = *state;

	assert_null(ring_next(&f->ring, ring_head(&f->ring), f->scratch));
}

static void records_are_read_in_the_order_of_writing(void **state)
{
	struct fixture *f = *state;

	write_record(f, 16, 1);
	write_record(f, 48, 2);
	assert_record(f, 16, 1);
	assert_record(f, 48, 2);
	assert_null(ring_next(&f->ring, ring_head(&f->ring), f->scratch));
}

static void reading_ends_at_the_given_head(void **state)
{
	struct fixture *f = *state;
	uint64_t head;

	write_record(f, 16, 1);
	head = ring_head(&f->ring);
	write_record(f, 16, 2);
	assert_non_null(ring_next(&f->ring, head, f->scratch));
	assert_null(ring_next(&f->ring, head, f->scratch));
	assert_record(f, 16, 2);
}

static void ring_release_frees_the_space_of_read_records(void **state)
{
	struct fixture *f = *state;

	write_record(f, 16, 1);
	assert_record(f, 16, 1);
	assert_int_equal(f->page.data_tail, 0);
	ring_release(&f->ring);
	assert_int_equal(f->page.data_tail, 16);
}

static void records_that_wrap_at_any_offset_are_read(void **state)
{
	struct fixture *f = *state;
	unsigned i;

	/* 248 and 4096 have only the factor 8 in common: all offsets occur. */
	for (i = 0; i < 3 * RING_SIZE / 8; i++) {
		write_record(f, 248, (uint8_t)i);
		assert_record(f, 248, (uint8_t)i);
		ring_release(&f->ring);
	}
}

static void a_record_of_invalid_size_skips_the_rest_up_to_the_head(void **state)
{
	struct fixture *f = *state;

	write_record(f, 0, 1);
	f->page.data_head += 64;
	assert_null(ring_next(&f->ring, ring_head(&f->ring), f->scratch));
	write_record(f, 16, 3);
	assert_record(f, 16, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_ring_buffer_has_no_records),
		TEST(records_are_read_in_the_order_of_writing),
		TEST(reading_ends_at_the_given_head),
		TEST(ring_release_frees_the_space_of_read_records),
		TEST(records_that_wrap_at_any_offset_are_read),
		TEST(a_record_of_invalid_size_skips_the_rest_up_to_the_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
