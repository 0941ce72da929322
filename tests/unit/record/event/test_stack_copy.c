/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the sizes of stack copies, and cutting and omitting them. */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/perf/userchain.h"
#include "common/util/array.h"
#include "record/event/stack_copy.h"
#include "record/open/stack_copy_size.h"
#include "record/stream/stack_intake.h"

#define RESERVED 16384u
#define REGISTERS 3u

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
		PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT,
	.sample_regs_user = 7,
};

static void put(uint64_t **at, uint64_t value)
{
	*(*at)++ = value;
}

/*
 * Writes a sample as the kernel does: all reserved bytes of the copy, then the
 * number of filled bytes.
 */
static const struct perf_event_header *make_chained(
	uint64_t *record, size_t filled, const uint64_t *chain, size_t n_chain)
{
	struct perf_event_header header = { .type = RECORD_SAMPLE,
		.misc = MISC_USER };
	uint64_t *at = record + 1, i;

	for (i = 1; i <= 5; i++)
		put(&at, i);
	put(&at, n_chain);
	for (i = 0; i < n_chain; i++)
		put(&at, chain[i]);
	put(&at, PERF_SAMPLE_REGS_ABI_64);
	for (i = 0; i < REGISTERS; i++)
		put(&at, 0x100 + i);
	put(&at, RESERVED);
	for (i = 0; i < RESERVED / 8; i++)
		put(&at, i < filled / 8 ? i : UINT64_MAX);
	put(&at, filled);
	put(&at, 77);
	header.size = (uint16_t)((at - record) * 8);
	memcpy(record, &header, sizeof(header));
	return (const struct perf_event_header *)record;
}

static const struct perf_event_header *make_sample(
	uint64_t *record, size_t filled)
{
	const uint64_t chain[] = { 0x1234 };

	return make_chained(record, filled, chain, ARRAY_SIZE(chain));
}

/* Returns the sample with KEPT of FILLED bytes of stack, read again. */
static struct sample rewritten(size_t filled, size_t kept)
{
	static uint64_t in[RECORD_SIZE_MAX / 8], out[RECORD_SIZE_MAX / 8];
	const struct perf_event_header *header = make_sample(in, filled);
	struct sample_layout layout;
	struct sample sample;
	struct record record;
	struct stack_copy dump;
	size_t size;

	sample_layout_init(&layout, &attr);
	assert_true(stack_copy_find(&layout, header, &dump));
	assert_int_equal(dump.filled, filled);
	size = stack_copy_size_with(&dump, kept);
	assert_true(size <= header->size);
	memset(out, 0xff, sizeof(out));
	stack_copy_write(&dump, kept, (uint8_t *)out);
	assert_true(record_at((uint8_t *)out, size, false, &record));
	assert_int_equal(record.size, size);
	assert_true(sample_read(&layout, &record, &sample));
	assert_int_equal(sample.ip, 2);
	assert_int_equal(sample.n_chain, 1);
	assert_int_equal(sample.weight, 77);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_64);
	return sample;
}

static void only_the_filled_part_of_a_stack_copy_is_recorded(void **state)
{
	struct sample sample = rewritten(1000, SIZE_MAX);
	uint64_t last;

	(void)state;
	assert_int_equal(sample.stack_size, 1000);
	memcpy(&last, sample.stack + 992, sizeof(last));
	assert_int_equal(last, 124);
	sample = rewritten(RESERVED, SIZE_MAX);
	assert_int_equal(sample.stack_size, RESERVED);
}

static void a_stack_copy_is_cut_to_the_given_size(void **state)
{
	struct sample sample = rewritten(2048, 512);

	(void)state;
	assert_int_equal(sample.stack_size, 512);
	sample = rewritten(256, 512);
	assert_int_equal(sample.stack_size, 256);
}

static void a_stack_copy_can_be_omitted(void **state)
{
	struct sample sample = rewritten(2048, 0);

	(void)state;
	assert_int_equal(sample.stack_size, 0);
	assert_null(sample.stack);
	/* A copy of an unmapped page. */
	sample = rewritten(0, SIZE_MAX);
	assert_null(sample.stack);
}

/*
 * The chain has a kernel part, and a user marker and part. Joining it restores
 * the original.
 */
static void the_user_call_chain_is_stored_beside_a_stack_copy(void **state)
{
	static uint64_t in[RECORD_SIZE_MAX / 8], out[RECORD_SIZE_MAX / 8];
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xff1,
		(uint64_t)PERF_CONTEXT_USER, 0x1234, 0x5678 };
	static const size_t kept[] = { SIZE_MAX, 512, 0 };
	const struct perf_event_header *header =
		make_chained(in, 2048 - 4, chain, ARRAY_SIZE(chain));
	uint64_t joined[8];
	struct sample_layout layout;
	struct sample sample;
	struct record record;
	struct stack_copy dump;
	size_t i, j;

	(void)state;
	sample_layout_init(&layout, &attr);
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		size_t size;

		assert_true(stack_copy_find(&layout, header, &dump));
		size = stack_copy_size_with(&dump, kept[i]);
		stack_copy_move_chain(&dump);
		assert_int_equal(stack_copy_size_with(&dump, kept[i]), size);
		memset(out, 0xff, sizeof(out));
		stack_copy_write(&dump, kept[i], (uint8_t *)out);
		assert_true(record_at((uint8_t *)out, size, false, &record));
		assert_true(sample_read(&layout, &record, &sample));
		assert_int_equal(sample.weight, 77);
		assert_int_equal(sample.stack_size, MIN(kept[i], (size_t)2044));
		/* Without a copy the chain is not moved. */
		assert_int_equal(
			sample.n_chain, kept[i] ? 2 : ARRAY_SIZE(chain));
		userchain_frames_join(&sample, joined, ARRAY_SIZE(joined));
		assert_int_equal(sample.n_chain, ARRAY_SIZE(chain));
		for (j = 0; j < ARRAY_SIZE(chain); j++)
			assert_true(sample_chain_entry(&sample, j) == chain[j]);
	}
}

static void a_stored_call_chain_is_joined_only_if_it_fits(void **state)
{
	static uint64_t in[RECORD_SIZE_MAX / 8], out[RECORD_SIZE_MAX / 8];
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_USER, 0x1234,
		0x5678 };
	const struct perf_event_header *header =
		make_chained(in, 64, chain, ARRAY_SIZE(chain));
	struct sample_layout layout;
	struct sample sample;
	struct record record;
	uint64_t joined[3];
	struct stack_copy dump;

	(void)state;
	sample_layout_init(&layout, &attr);
	assert_true(stack_copy_find(&layout, header, &dump));
	stack_copy_move_chain(&dump);
	stack_copy_write(&dump, SIZE_MAX, (uint8_t *)out);
	assert_true(record_at((uint8_t *)out, RECORD_SIZE_MAX, false, &record));
	assert_true(sample_read(&layout, &record, &sample));
	userchain_frames_join(&sample, joined, 2);
	assert_int_equal(sample.n_chain, 0);
	userchain_frames_join(&sample, joined, 3);
	assert_int_equal(sample.n_chain, 3);
	/*
	 * Joining twice has no effect, and perf's samples have no stored chain.
	 */
	userchain_frames_join(&sample, joined, 3);
	assert_int_equal(sample.n_chain, 3);
	memcpy(&record,
		&(struct record){ header->type, header->misc, header->size,
			(const uint8_t *)in, false },
		sizeof(record));
	assert_true(sample_read(&layout, &record, &sample));
	userchain_frames_join(&sample, joined, 3);
	assert_int_equal(sample.n_chain, 3);
	assert_ptr_not_equal(sample.chain, joined);
}

static void no_stack_copy_is_found_in_a_sample_without_one(void **state)
{
	uint64_t record[16] = { 0 };
	struct perf_event_header header = { RECORD_SAMPLE, 0, 48 };
	struct perf_event_attr bare = attr;
	struct sample_layout layout;
	struct stack_copy dump;

	(void)state;
	bare.sample_type &= ~(uint64_t)PERF_SAMPLE_STACK_USER;
	memcpy(record, &header, sizeof(header));
	sample_layout_init(&layout, &bare);
	assert_false(stack_copy_find(&layout, (void *)record, &dump));
	sample_layout_init(&layout, &attr);
	assert_false(stack_copy_find(&layout, (void *)record, &dump));
}

static void stack_copies_are_cut_then_omitted_as_the_queue_fills(void **state)
{
	(void)state;
	assert_true(stack_copy_kept(0) == SIZE_MAX);
	assert_true(stack_copy_kept(49) == SIZE_MAX);
	assert_int_equal(stack_copy_kept(50), STACK_COPY_CUT);
	assert_int_equal(stack_copy_kept(74), STACK_COPY_CUT);
	assert_int_equal(stack_copy_kept(75), 0);
	assert_int_equal(stack_copy_kept(120), 0);
}

/* Adds samples with 2 KiB of stack until the queue is full. */
static void stack_copies_are_omitted_before_samples_are_lost(void **state)
{
	static uint64_t record[RECORD_SIZE_MAX / 8];
	const struct perf_event_header *header = make_sample(record, 2048);
	struct queue *queue = queue_create(MIB(16));
	struct queue_fill filling = { .queue = queue };
	struct recorded_counts counts = { 0 };
	struct sample_layout layout;
	struct stack_intake stacks;
	uint64_t n = 0;

	(void)state;
	sample_layout_init(&layout, &attr);
	stack_intake_init(&stacks, &filling, &counts);
	while (stack_intake_put(&stacks, &layout, header, 1))
		n++;
	/* 2 KiB is less than the size of a cut copy. */
	assert_int_equal(counts.cut, 0);
	assert_true(counts.bare > 0);
	assert_true(counts.bare < n);
	/* Without a copy, a sample has a tenth of the size. */
	assert_true(n > 2 * MIB(15) / 2048);
	/* Sideband always does. */
	assert_non_null(queue_fill_put_sideband(&filling, record, 64, 1));
	queue_fill_discard(&filling);
	queue_destroy(queue);
}

/* Copies are complete first, then cut, then omitted; then samples are lost. */
static void stack_copies_are_cut_before_they_are_omitted(void **state)
{
	static uint64_t record[RECORD_SIZE_MAX / 8];
	const struct perf_event_header *header = make_sample(record, RESERVED);
	struct queue *queue = queue_create(MIB(16));
	struct queue_fill filling = { .queue = queue };
	struct recorded_counts counts = { 0 };
	struct sample_layout layout;
	struct stack_intake stacks;
	const uint8_t *copy;
	struct record taken;
	uint64_t n = 0, last = UINT64_MAX;

	(void)state;
	sample_layout_init(&layout, &attr);
	stack_intake_init(&stacks, &filling, &counts);
	while ((copy = stack_intake_put(&stacks, &layout, header, 1))) {
		struct sample sample;

		assert_true(record_at(copy, header->size, false, &taken));
		assert_true(sample_read(&layout, &taken, &sample));
		assert_true(sample.stack_size == RESERVED ||
			sample.stack_size == STACK_COPY_CUT ||
			!sample.stack_size);
		assert_true(sample.stack_size <= last);
		/* The call chain is kept in all samples. */
		assert_int_equal(sample.n_chain, 1);
		last = sample.stack_size;
		n++;
	}
	assert_int_equal(last, 0);
	assert_true(counts.cut > 0 && counts.bare > 0);
	assert_true(counts.cut + counts.bare < n);
	queue_fill_discard(&filling);
	queue_destroy(queue);
}

static struct selection_event event_of(uint64_t rate, uint32_t size)
{
	struct selection_event event = { .attr = attr };

	event.attr.freq = 1;
	event.attr.sample_freq = rate;
	event.attr.sample_stack_user = size;
	return event;
}

static void a_ring_buffer_holds_the_samples_of_50_ms(void **state)
{
	struct selection_event event = event_of(1000, STACK_COPY_MAX);
	struct selection selection = { 0 };

	(void)state;
	assert_false(stack_copy_is_sampled(&selection));
	*array_push(&selection.events) = event;
	assert_true(stack_copy_is_sampled(&selection));
	/* 50 samples of 67 KB. */
	assert_int_equal(stack_copy_ring_size(&selection, 2, MIB(1)), MIB(4));
	assert_int_equal(stack_copy_fit_ring(&selection, MIB(4)), 0);
	selection.events.at[0].attr.sample_freq = 4000;
	assert_int_equal(stack_copy_ring_size(&selection, 2, MIB(1)), MIB(16));
	selection.events.at[0].attr.sample_freq = 100000;
	assert_int_equal(stack_copy_ring_size(&selection, 2, MIB(1)), MIB(64));
	/* Limited to one GiB in total. */
	assert_int_equal(stack_copy_ring_size(&selection, 256, MIB(1)), MIB(4));
	/* The usual size is not reduced. */
	selection.events.at[0].attr.sample_freq = 1;
	assert_int_equal(stack_copy_ring_size(&selection, 2, MIB(1)), MIB(1));
	array_free(&selection.events);
}

static void a_small_ring_buffer_reduces_the_size_of_stack_copies(void **state)
{
	struct selection_event event = event_of(1000, STACK_COPY_MAX);
	struct selection selection = { 0 };
	uint32_t size;
	bool is_enough;

	(void)state;
	*array_push(&selection.events) = event;
	size = stack_copy_fit_ring(&selection, MIB(1));
	stack_copy_samples_in_ring(&selection, MIB(1), &is_enough);
	assert_true(is_enough);
	assert_int_equal(size, selection.events.at[0].attr.sample_stack_user);
	assert_int_equal(size % 8, 0);
	assert_true(size > 19000 && size < 21000);
	assert_true(50 * (size + 600) < MIB(1));
	assert_int_equal(stack_copy_fit_ring(&selection, MIB(1)), 0);
	assert_int_equal(stack_copy_fit_ring(&selection, KIB(64)), KIB(4));
	assert_int_equal(
		stack_copy_samples_in_ring(&selection, KIB(64), &is_enough),
		65536 / (4096 + 1400));
	assert_false(is_enough);
	array_free(&selection.events);
}

/* Larger samples would all be lost. */
static void stack_copies_are_reduced_until_two_samples_fit_the_ring(
	void **state)
{
	struct selection_event event = event_of(1000, STACK_COPY_MAX);
	struct selection selection = { 0 };
	uint32_t *own, size;

	(void)state;
	*array_push(&selection.events) = event;
	own = &selection.events.at[0].attr.sample_stack_user;
	size = stack_copy_fit_ring(&selection, KIB(4));
	assert_int_equal(size, *own);
	assert_true(size >= 512 && 2 * (size + 1400) <= KIB(4));
	/* Both sizes are explicit. */
	*own = STACK_COPY_MAX;
	assert_int_equal(stack_copy_fit_any(&selection, KIB(128)), 0);
	assert_int_equal(*own, STACK_COPY_MAX);
	assert_int_equal(
		stack_copy_fit_any(&selection, KIB(64)), KIB(32) - 1400);
	assert_int_equal(*own, KIB(32) - 1400);
	/* At this rate, any ring buffer holds the samples of 50 ms. */
	selection.events.at[0].attr.sample_freq = 1;
	*own = STACK_COPY_MAX;
	assert_int_equal(
		stack_copy_fit_ring(&selection, KIB(64)), KIB(32) - 1400);
	array_free(&selection.events);
}

static void the_stack_copy_leaves_room_for_the_fields_behind_it(void **state)
{
	struct selection_event event = event_of(1000, STACK_COPY_MAX);
	struct selection selection = { 0 };
	struct perf_event_attr *own;
	uint32_t size;

	(void)state;
	*array_push(&selection.events) = event;
	own = &selection.events.at[0].attr;
	/* The kernel considers the fields before the copy. */
	stack_copy_fit_records(&selection, 127);
	assert_int_equal(own->sample_stack_user, STACK_COPY_MAX);
	own->sample_type |= PERF_SAMPLE_REGS_INTR;
	own->sample_regs_intr = 0xff0fff;
	stack_copy_fit_records(&selection, 127);
	size = own->sample_stack_user;
	assert_int_equal(size % 8, 0);
	assert_true(size + 21 * 8 + 128 * 8 < STACK_COPY_MAX);
	assert_true(size > KIB(60));
	stack_copy_fit_records(&selection, UINT16_MAX);
	assert_int_equal(own->sample_stack_user, KIB(4));
	array_free(&selection.events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			only_the_filled_part_of_a_stack_copy_is_recorded),
		cmocka_unit_test(a_stack_copy_is_cut_to_the_given_size),
		cmocka_unit_test(a_stack_copy_can_be_omitted),
		cmocka_unit_test(
			the_user_call_chain_is_stored_beside_a_stack_copy),
		cmocka_unit_test(a_stored_call_chain_is_joined_only_if_it_fits),
		cmocka_unit_test(
			no_stack_copy_is_found_in_a_sample_without_one),
		cmocka_unit_test(
			stack_copies_are_cut_then_omitted_as_the_queue_fills),
		cmocka_unit_test(
			stack_copies_are_omitted_before_samples_are_lost),
		cmocka_unit_test(stack_copies_are_cut_before_they_are_omitted),
		cmocka_unit_test(a_ring_buffer_holds_the_samples_of_50_ms),
		cmocka_unit_test(
			a_small_ring_buffer_reduces_the_size_of_stack_copies),
		cmocka_unit_test(
			stack_copies_are_reduced_until_two_samples_fit_the_ring),
		cmocka_unit_test(
			the_stack_copy_leaves_room_for_the_fields_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
