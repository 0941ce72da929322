/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses constructed records of Linux 6.19: older kernels have no deferred call
 * chains.
 */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/event/kernel_features.h"
#include "record/queue/deferred.h"
#include "record/stream/intake.h"
#include "record/sys/bounded_store.h"

#define EVENT_ID 100u
#define SIDEBAND_ID 200u
#define DEFERRED ABI_CONTEXT_USER_DEFERRED
#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER ((uint64_t)PERF_CONTEXT_USER)

struct fixture {
	struct selection selection;
	struct event_fds opened;
	struct target target;
	struct sample_layout sample, trailer;
	struct queue *queue;
	struct intake *intake;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct selection_sampling sampling = { .period = 1,
		.has_callchains = true };
	const struct pmus no_pmus = { 0 };

	assert_non_null(f);
	assert_no_error(event_select(&f->selection, "cpu-clock", &no_pmus));
	selection_configure(&f->selection, &sampling);
	f->selection.events.at[0].id = EVENT_ID;
	*array_push(&f->target.online.list) = 0;
	f->opened = (struct event_fds){
		.selection = &f->selection,
		.target = &f->target,
		.sideband_attr = selection_sideband(false, true),
		.sideband_id = SIDEBAND_ID,
		.n_rings = 1,
	};
	deferred_request(&f->selection, &f->opened.sideband_attr);
	sample_layout_init(&f->sample, &f->selection.events.at[0].attr);
	sample_layout_init(&f->trailer, &f->opened.sideband_attr);
	f->queue = queue_create(MIB(64));
	f->intake = intake_create(&(struct intake_setup){
		.opened = &f->opened, .queue = f->queue });
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	intake_destroy(f->intake);
	queue_destroy(f->queue);
	selection_deinit(&f->selection);
	cpus_deinit(&f->target.online);
	free(f);
	return 0;
}

static void put_header(struct strbuf *out, uint32_t type, size_t size)
{
	const struct perf_event_header header = { type, MISC_KERNEL,
		(uint16_t)size };

	strbuf_put(out, &header, sizeof(header));
}

/* Passes a sample to the intake: IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN. */
static void take_sample(
	struct fixture *f, uint32_t tid, const uint64_t *chain, uint64_t n)
{
	_cleanup_strbuf_ struct strbuf record = { 0 };

	put_header(&record, RECORD_SAMPLE, 8 + 5 * 8 + 8 + n * 8);
	strbuf_put_u64(&record, EVENT_ID);
	strbuf_put_u64(&record, 0xffffffff81000010);
	strbuf_put_u32(&record, tid);
	strbuf_put_u32(&record, tid);
	strbuf_put_u64(&record, 1000 + tid);
	strbuf_put_u64(&record, 0);
	strbuf_put_u64(&record, n);
	strbuf_put(&record, chain, n * 8);
	intake_take(f->intake, (const struct perf_event_header *)record.at);
}

/* Passes a kernel sample with a deferred user part, identified by COOKIE. */
static void take_marked(struct fixture *f, uint32_t tid, uint64_t cookie)
{
	const uint64_t chain[] = { KERNEL, 0xffffffff81000010, DEFERRED,
		cookie };

	take_sample(f, tid, chain, ARRAY_SIZE(chain));
}

static void take_chain(struct fixture *f, uint32_t tid, uint64_t cookie,
	const uint64_t *chain, uint64_t n)
{
	_cleanup_strbuf_ struct strbuf record = { 0 };
	struct sample_id id = {
		.pid = tid, .tid = tid, .time = 2000, .id = SIDEBAND_ID
	};
	uint8_t trailer[SAMPLE_ID_SIZE_MAX];

	sample_id_write(&f->trailer, &id, trailer);
	put_header(&record, RECORD_CALLCHAIN_DEFERRED,
		8 + 16 + n * 8 + f->trailer.trailer_size);
	strbuf_put_u64(&record, cookie);
	strbuf_put_u64(&record, n);
	strbuf_put(&record, chain, n * 8);
	strbuf_put(&record, trailer, f->trailer.trailer_size);
	intake_take(f->intake, (const struct perf_event_header *)record.at);
}

static const uint64_t user_part[] = { 0x401000, 0x402000, 0x403000 };

/* Prints "tid: entry entry ..." for each sample in the queue. */
static void written(struct fixture *f, struct strbuf *out)
{
	struct queue_block *block;

	intake_end(f->intake);
	queue_close(f->queue);
	strbuf_puts(out, "");
	while ((block = queue_take(f->queue))) {
		struct record record;
		size_t at = 0;

		assert_int_equal(block->info.kind, BLOCK_SAMPLES);
		while (record_at(block->raw + at, block->info.raw_size - at,
			false, &record)) {
			struct sample sample;
			uint64_t i;

			assert_int_equal(record.type, RECORD_SAMPLE);
			assert_true(sample_read(&f->sample, &record, &sample));
			strbuf_printf(out, "%u:", sample.tid);
			for (i = 0; i < sample.n_chain; i++)
				strbuf_printf(out, " %lx",
					sample_chain_entry(&sample, i));
			strbuf_puts(out, "\n");
			at += record.size;
		}
		assert_int_equal(at, block->info.raw_size);
		queue_give_back(f->queue, block);
	}
}

static void assert_written(struct fixture *f, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	written(f, &text);
	assert_string_equal(text.at, wanted);
}

#define WHOLE                                                                \
	" ffffffffffffff80 ffffffff81000010 fffffffffffffe00 401000 402000 " \
	"403000\n"
#define KERNEL_PART " ffffffffffffff80 ffffffff81000010\n"

static void a_deferred_chain_completes_the_samples_before_it(void **state)
{
	struct fixture *f = *state;

	take_marked(f, 7, 1);
	take_marked(f, 7, 1);
	take_marked(f, 8, 2);
	take_chain(f, 7, 1, user_part, 3);
	take_chain(f, 8, 2, user_part, 3);
	assert_written(f, "7:" WHOLE "7:" WHOLE "8:" WHOLE);
}

/* Sideband ring buffers are read first, so this order is usual. */
static void a_deferred_chain_completes_samples_that_are_read_later(void **state)
{
	struct fixture *f = *state;

	take_chain(f, 7, 1, user_part, 3);
	take_marked(f, 7, 1);
	take_marked(f, 7, 1);
	assert_written(f, "7:" WHOLE "7:" WHOLE);
}

static void a_chain_of_another_thread_or_cookie_is_not_used(void **state)
{
	struct fixture *f = *state;

	take_marked(f, 7, 1);
	take_chain(f, 8, 1, user_part, 3);
	take_chain(f, 7, 2, user_part, 3);
	assert_written(f, "7:" KERNEL_PART);
}

static void a_deferred_chain_can_start_with_a_context_mark(void **state)
{
	const uint64_t marked[] = { USER, 0x401000, 0x402000, 0x403000 };
	struct fixture *f = *state;

	take_marked(f, 7, 1);
	take_chain(f, 7, 1, marked, 4);
	assert_written(f, "7:" WHOLE);
}

static void samples_without_a_deferred_chain_are_not_delayed(void **state)
{
	const uint64_t whole[] = { USER, 0x401000 };
	struct fixture *f = *state;

	take_marked(f, 7, 1);
	take_sample(f, 8, whole, 2);
	take_sample(f, 9, NULL, 0);
	take_chain(f, 7, 1, user_part, 3);
	assert_written(f, "8: fffffffffffffe00 401000\n9:\n7:" WHOLE);
}

static void empty_and_damaged_chains_leave_the_kernel_part(void **state)
{
	struct perf_event_header broken = { RECORD_CALLCHAIN_DEFERRED, 0,
		sizeof(broken) };
	struct {
		struct perf_event_header header;
		uint64_t cookie, n;
	} lying = { { RECORD_CALLCHAIN_DEFERRED, 0, sizeof(lying) }, 1,
		UINT64_MAX };
	const uint64_t only_mark[] = { DEFERRED, 5 };
	struct fixture *f = *state;

	take_marked(f, 7, 1);
	take_sample(f, 8, only_mark, 2);
	intake_take(f->intake, &broken);
	intake_take(f->intake, &lying.header);
	take_chain(f, 7, 1, user_part, 0);
	take_chain(f, 8, 5, user_part, 0);
	assert_written(f, "7:" KERNEL_PART "8:\n");
}

/* The maximum record size: the chain is truncated, the sample is complete. */
static void a_chain_too_long_for_a_record_is_truncated(void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	uint64_t *chain = calloc(8000, sizeof(*chain));
	uint64_t kernel[400];
	size_t i, words = 0;

	assert_non_null(chain);
	for (i = 0; i < 8000; i++)
		chain[i] = 0x400000 + i;
	for (i = 0; i < 400; i++)
		kernel[i] = 0xffffffff81000000 + i;
	kernel[398] = DEFERRED;
	kernel[399] = 1;
	take_sample(f, 7, kernel, 400);
	take_chain(f, 7, 1, chain, 8000);
	written(f, &text);
	for (i = 0; i < text.n; i++)
		words += text.at[i] == ' ';
	/*
	 * 65,528 bytes without header (8), five fields (40) and count (8), in
	 * words.
	 */
	assert_int_equal(words, (65528 - 8 - 40 - 8) / 8);
	free(chain);
}

/*
 * Threads that never return to user space must not exhaust memory or lose
 * samples.
 */
static void the_oldest_sample_is_written_without_chain_if_memory_is_full(
	void **state)
{
	struct fixture *f = *state;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	size_t i, lines = 0;

	for (i = 0; i < 50000; i++)
		take_marked(f, (uint32_t)i, i);
	take_chain(f, 49999, 49999, user_part, 3);
	written(f, &text);
	for (i = 0; i < text.n; i++)
		lines += text.at[i] == '\n';
	assert_int_equal(lines, 50000);
	assert_true(string_starts(text.at, "0:" KERNEL_PART "1:" KERNEL_PART));
	assert_non_null(strstr(text.at, "\n49999:" WHOLE));
}

static void the_request_for_deferred_chains_is_not_written_to_the_file(
	void **state)
{
	struct fixture *f = *state;
	struct perf_event_attr attr = f->selection.events.at[0].attr;

	assert_true(kernel_feature_flag_is_set(&attr, 38));
	assert_false(kernel_feature_flag_is_set(&attr, 39));
	assert_true(kernel_feature_flag_is_set(&f->opened.sideband_attr, 39));
	deferred_clear_request(&attr);
	assert_false(kernel_feature_flag_is_set(&attr, 38));
	assert_true(attr.sample_id_all);
}

static void count_drop(void *data, const struct bounded_item *item)
{
	unsigned *sum = data;

	/* The bytes are unchanged. */
	assert_int_equal(item->data[item->size - 1], (uint8_t)item->extra);
	++*sum;
}

/* Puts many items of all sizes into a small store: each leaves exactly once. */
static void each_item_leaves_a_bounded_store_exactly_once(void **state)
{
	unsigned dropped = 0, taken = 0, i;
	struct bounded_store *store =
		bounded_store_create(16, 1000, count_drop, &dropped);
	uint8_t bytes[400];

	(void)state;
	for (i = 0; i < 10000; i++) {
		struct bounded_item item = { .key = { i % 7, i % 3 },
			.size = 1 + i * 37 % 399,
			.extra = i,
			.data = bytes };
		struct bounded_item found;

		memset(bytes, (int)i, sizeof(bytes));
		assert_true(bounded_store_put(store, &item));
		assert_true(bounded_store_find(store, &item.key, &found));
		assert_true(found.extra <= i);
		if (i % 5 == 0) {
			assert_true(
				bounded_store_take(store, &item.key, &found));
			assert_int_equal(found.data[found.size - 1],
				(uint8_t)found.extra);
			taken++;
		}
	}
	bounded_store_clear(store);
	assert_int_equal(dropped + taken, 10000);
	assert_false(bounded_store_put(
		store, &(struct bounded_item){ .size = 1001, .data = bytes }));
	bounded_store_destroy(store);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_deferred_chain_completes_the_samples_before_it),
		CASE(a_deferred_chain_completes_samples_that_are_read_later),
		CASE(a_chain_of_another_thread_or_cookie_is_not_used),
		CASE(a_deferred_chain_can_start_with_a_context_mark),
		CASE(samples_without_a_deferred_chain_are_not_delayed),
		CASE(empty_and_damaged_chains_leave_the_kernel_part),
		CASE(a_chain_too_long_for_a_record_is_truncated),
		CASE(the_oldest_sample_is_written_without_chain_if_memory_is_full),
		CASE(the_request_for_deferred_chains_is_not_written_to_the_file),
		cmocka_unit_test(each_item_leaves_a_bounded_store_exactly_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
