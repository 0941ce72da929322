/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests ring buffers that are written backward, in the kernel's layout. */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/ring/ring.h"

#define RING_SIZE 256u

struct fixture {
	struct perf_event_mmap_page page;
	uint8_t data[RING_SIZE];
	uint8_t scratch[RECORD_SIZE_MAX + 1];
	struct ring ring;
	struct ring_positions places;
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
	struct fixture *f = *state;

	array_free(&f->places.list);
	free(f);
	return 0;
}

/* Writes a record of SIZE bytes filled with MARK over older records. */
static void put(struct fixture *f, uint16_t size, uint8_t mark)
{
	struct perf_event_header header = { .type = 9, .size = size };
	uint8_t record[RING_SIZE];
	size_t i;

	memset(record, mark, sizeof(record));
	memcpy(record, &header, sizeof(header));
	f->page.data_head -= size;
	for (i = 0; i < size; i++)
		f->data[(f->page.data_head + i) % RING_SIZE] = record[i];
}

/* Lists the records and compares their marks with MARKS. */
static void assert_marks(struct fixture *f, const char *marks)
{
	char found[64] = "";
	size_t n = 0;

	ring_backward_list(&f->ring, ring_head(&f->ring), &f->places);
	array_each(&f->places.list, place) {
		const struct perf_event_header *header =
			ring_backward_at(&f->ring, *place, f->scratch);
		const uint8_t *raw = (const uint8_t *)header;
		size_t i;

		assert_non_null(header);
		for (i = sizeof(*header); i < header->size; i++)
			assert_int_equal(raw[i], raw[sizeof(*header)]);
		assert_true(n < sizeof(found) - 1);
		found[n++] = (char)raw[sizeof(*header)];
	}
	assert_string_equal(found, marks);
}

static void an_empty_ring_buffer_has_no_records(void **state)
{
	assert_marks(*state, "");
}

static void the_oldest_record_is_read_first(void **state)
{
	struct fixture *f = *state;

	put(f, 16, 'a');
	put(f, 40, 'b');
	put(f, 24, 'c');
	assert_marks(f, "abc");
}

static void read_records_are_not_read_again(void **state)
{
	struct fixture *f = *state;

	put(f, 16, 'a');
	assert_marks(f, "a");
	assert_marks(f, "");
	put(f, 16, 'b');
	put(f, 16, 'c');
	assert_marks(f, "bc");
}

/* 256 bytes hold three complete records of 72 bytes and a part of a fourth. */
static void partly_overwritten_records_are_not_read(void **state)
{
	struct fixture *f = *state;
	char mark;

	for (mark = 'a'; mark <= 'z'; mark++)
		put(f, 72, (uint8_t)mark);
	assert_marks(f, "xyz");
	put(f, 72, 'A');
	assert_marks(f, "A");
	for (mark = 'a'; mark <= 'z'; mark++)
		put(f, 64, (uint8_t)mark);
	assert_marks(f, "wxyz");
}

static void only_complete_records_are_read_for_each_record_size(void **state)
{
	struct fixture *f = *state;
	uint16_t size;
	unsigned i;

	for (size = 16; size <= 128; size += 8) {
		char marks[64] = "";
		unsigned n = RING_SIZE / size;

		for (i = 0; i < 40; i++)
			put(f, size, (uint8_t)('0' + i));
		for (i = 0; i < n; i++)
			marks[i] = (char)('0' + 40 - n + i);
		assert_marks(f, marks);
	}
}

static void a_damaged_record_hides_all_older_records(void **state)
{
	struct fixture *f = *state;

	put(f, 64, 'a');
	put(f, 64, 'b');
	put(f, 64, 'c');
	/* The size of b. */
	memset(f->data + ((f->page.data_head + 64 + 6) % RING_SIZE), 0, 2);
	assert_marks(f, "c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_empty_ring_buffer_has_no_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_oldest_record_is_read_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			read_records_are_not_read_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			partly_overwritten_records_are_not_read, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			only_complete_records_are_read_for_each_record_size,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_damaged_record_hides_all_older_records, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
