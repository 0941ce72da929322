/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/util/array.h"
#include "record/event/event.h"
#include "record/stream/sample_order.h"

#define ID 100u
#define SIDEBAND_ID 200u
#define RECORD_SIZE 88u /* with a call chain of four entries */

struct fixture {
	struct sampled_code *sampled;
	struct sample_order *order;
	struct strbuf raw;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct selection_sampling sampling = { .period = 1,
		.has_callchains = true };
	struct perf_event_attr sideband = selection_sideband(false, true);
	struct selection selection = { 0 };
	const struct pmus no_pmus = { 0 };
	struct sampled_event events[2] = { { .id = ID },
		{ .id = SIDEBAND_ID } };

	assert_non_null(f);
	assert_no_error(event_select(&selection, "cpu-clock", &no_pmus));
	selection_configure(&selection, &sampling);
	sample_layout_init(&events[0].layout, &selection.events.at[0].attr);
	sample_layout_init(&events[1].layout, &sideband);
	selection_deinit(&selection);
	f->sampled = sampled_code_create(events, 2);
	f->order = sample_order_create(f->sampled);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	sample_order_destroy(f->order);
	sampled_code_destroy(f->sampled);
	strbuf_free(&f->raw);
	free(f);
	return 0;
}

/* IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN. */
static void add_sample(
	struct fixture *f, uint64_t time, uint64_t function, uint64_t outermost)
{
	const uint64_t fields[] = { ID, function + time % 7, 7, time, 0, 4,
		(uint64_t)PERF_CONTEXT_USER, function + time % 7, 0x5000,
		outermost };
	struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(header) + sizeof(fields) };

	assert_int_equal(header.size, RECORD_SIZE);
	strbuf_put(&f->raw, &header, sizeof(header));
	strbuf_put(&f->raw, fields, sizeof(fields));
}

static const uint8_t *arranged(struct fixture *f)
{
	return sample_order_sort(
		f->order, (const uint8_t *)f->raw.at, f->raw.n);
}

static uint64_t word_at(const uint8_t *records, size_t i, size_t offset)
{
	uint64_t value;

	memcpy(&value, records + i * RECORD_SIZE + offset, sizeof(value));
	return value;
}

static int compare_times(const void *a, const void *b)
{
	return COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
}

/*
 * Every record is complete, and none is repeated. The time identifies a record.
 */
static void assert_same_records(struct fixture *f, const uint8_t *records)
{
	size_t n = f->raw.n / RECORD_SIZE, i;
	ARRAY(uint64_t) times = { 0 };

	for (i = 0; i < n; i++) {
		uint64_t time = word_at(records, i, 32);

		assert_true(time >= 1 && time <= n);
		assert_memory_equal(records + i * RECORD_SIZE,
			f->raw.at + (time - 1) * RECORD_SIZE, RECORD_SIZE);
		*array_push(&times) = time;
	}
	array_sort(&times, compare_times);
	for (i = 0; i < n; i++)
		assert_int_equal(times.at[i], i + 1);
	array_free(&times);
}

static void samples_with_the_same_stack_become_adjacent(void **state)
{
	struct fixture *f = *state;
	const uint8_t *records;
	unsigned i, changes = 0;

	for (i = 1; i <= 1000; i++)
		add_sample(f, i, 0x1000, 0x9000 + i % 5);
	records = arranged(f);
	assert_same_records(f, records);
	for (i = 1; i < 1000; i++)
		changes +=
			word_at(records, i, 80) != word_at(records, i - 1, 80);
	assert_int_equal(changes, 4);
}

static void samples_with_the_same_stack_stay_sorted_by_time(void **state)
{
	struct fixture *f = *state;
	const uint8_t *records;
	unsigned i, turns = 0;

	for (i = 1; i <= 240; i++)
		add_sample(f, i, 0x1000 * (i % 24), 0x9000 + i % 24);
	records = arranged(f);
	assert_same_records(f, records);
	/*
	 * One change of direction per group, but none between adjacent groups
	 * of the same direction.
	 */
	for (i = 2; i < 240; i++)
		turns += (word_at(records, i, 32) >
				 word_at(records, i - 1, 32)) !=
			(word_at(records, i - 1, 32) >
				word_at(records, i - 2, 32));
	assert_in_range(turns, 1, 3 * 24);
}

/* The same behind the counters of a group: PERF_SAMPLE_READ. */
static void call_chains_behind_group_counters_are_found(void **state _unused_)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
			PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	struct sampled_event events[2] = { { .id = ID },
		{ .id = SIDEBAND_ID } };
	struct perf_event_header header = { RECORD_SAMPLE, MISC_USER,
		sizeof(header) + 11 * 8 };
	struct strbuf raw = { 0 };
	struct sample_order *order;
	struct sampled_code *sampled;
	const uint8_t *records;
	uint64_t time, changes = 0, before = 0, now;

	sample_layout_init(&events[0].layout, &attr);
	for (time = 1; time <= 100; time++) {
		const uint64_t fields[] = { ID, 0x1000, 7, time, 2, time, 1,
			time * 3, 2, 1, 0x2000 + time % 2 };

		strbuf_put(&raw, &header, sizeof(header));
		strbuf_put(&raw, fields, sizeof(fields));
	}
	sampled = sampled_code_create(events, 2);
	order = sample_order_create(sampled);
	records = sample_order_sort(order, (const uint8_t *)raw.at, raw.n);
	for (time = 0; time < 100; time++) {
		memcpy(&now, records + time * header.size + 88, sizeof(now));
		changes += now != before;
		before = now;
	}
	assert_int_equal(changes, 2);
	sample_order_destroy(order);
	sampled_code_destroy(sampled);
	strbuf_free(&raw);
}

static void a_block_with_other_records_is_not_reordered(void **state)
{
	struct fixture *f = *state;
	struct perf_event_header header = { RECORD_EXIT, 0, RECORD_SIZE };
	unsigned i;

	for (i = 1; i <= 100; i++)
		add_sample(f, i, 0x1000 * (i % 3), 0x9000 + i % 5);
	memcpy(f->raw.at + 50 * RECORD_SIZE, &header, sizeof(header));
	assert_ptr_equal(arranged(f), f->raw.at);
}

/* A wrong number of entries is not followed. */
static void wrong_lengths_of_call_chains_are_not_followed(void **state)
{
	struct fixture *f = *state;
	const uint64_t huge = UINT64_MAX / 8;
	unsigned i;

	for (i = 1; i <= 100; i++)
		add_sample(f, i, 0x1000 * (i % 3), 0x9000 + i % 5);
	for (i = 0; i < 100; i += 2)
		memcpy(f->raw.at + i * RECORD_SIZE + 48, &huge, sizeof(huge));
	assert_same_records(f, arranged(f));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_with_the_same_stack_become_adjacent),
		TEST(samples_with_the_same_stack_stay_sorted_by_time),
		TEST(call_chains_behind_group_counters_are_found),
		TEST(a_block_with_other_records_is_not_reordered),
		TEST(wrong_lengths_of_call_chains_are_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
