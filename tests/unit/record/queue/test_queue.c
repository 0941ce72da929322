/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "record/queue/queue.h"

static void blocks_are_taken_in_the_order_in_which_they_were_put(void **state)
{
	struct queue *queue = queue_create(MIB(8));
	struct queue_block *a = queue_get(queue, BLOCK_SIDEBAND);
	struct queue_block *b = queue_get(queue, BLOCK_SAMPLES);

	(void)state;
	assert_int_equal(a->info.kind, BLOCK_SIDEBAND);
	assert_int_equal(b->info.kind, BLOCK_SAMPLES);
	queue_put(queue, a);
	queue_put(queue, b);
	queue_close(queue);
	assert_ptr_equal(queue_take(queue), a);
	assert_ptr_equal(queue_take(queue), b);
	assert_null(queue_take(queue));
	queue_give_back(queue, a);
	queue_give_back(queue, b);
	queue_destroy(queue);
}

/* Only waiting samples are unwound together; the call does not block. */
static void only_waiting_blocks_of_samples_are_taken_without_blocking(
	void **state)
{
	struct queue *queue = queue_create(MIB(8));
	struct queue_block *a = queue_get(queue, BLOCK_SAMPLES);
	struct queue_block *b = queue_get(queue, BLOCK_SAMPLES);
	struct queue_block *sideband = queue_get(queue, BLOCK_SIDEBAND);
	struct queue_block *end = queue_get(queue, BLOCK_SAMPLES);

	(void)state;
	assert_null(queue_take_samples(queue));
	queue_put(queue, a);
	queue_put(queue, b);
	queue_put(queue, sideband);
	end->ends_file = true;
	queue_put(queue, end);
	assert_ptr_equal(queue_take_samples(queue), a);
	assert_ptr_equal(queue_take_samples(queue), b);
	assert_null(queue_take_samples(queue));
	assert_ptr_equal(queue_take(queue), sideband);
	assert_null(queue_take_samples(queue));
	assert_ptr_equal(queue_take(queue), end);
	queue_give_back(queue, a);
	queue_give_back(queue, b);
	queue_give_back(queue, sideband);
	queue_give_back(queue, end);
	queue_destroy(queue);
}

static void a_full_queue_accepts_only_sideband(void **state)
{
	struct queue *queue = queue_create(MIB(4));
	unsigned n = 0, i;
	struct queue_block *block;

	(void)state;
	while ((block = queue_get(queue, BLOCK_SAMPLES))) {
		queue_put(queue, block);
		assert_true(++n < 100);
	}
	assert_in_range(n, 2, 4);
	assert_in_range(queue_fill_percent(queue), 75, 100);
	for (i = 0; i < 50; i++) {
		block = queue_get(queue, BLOCK_SIDEBAND);
		assert_non_null(block);
		queue_put(queue, block);
	}
	assert_true(queue_fill_percent(queue) > 100);
	assert_true(queue_peak_bytes(queue) >
		n * BLOCK_RAW_MAX + 50 * QUEUE_SIDEBAND_MAX);
	queue_destroy(queue);
}

static void a_returned_block_makes_room_in_a_full_queue(void **state)
{
	struct queue *queue = queue_create(0);
	struct queue_block *a = queue_get(queue, BLOCK_SAMPLES);
	struct queue_block *b = queue_get(queue, BLOCK_SAMPLES);

	(void)state;
	assert_null(queue_get(queue, BLOCK_SAMPLES));
	queue_give_back(queue, a);
	a = queue_get(queue, BLOCK_SAMPLES);
	assert_non_null(a);
	assert_int_equal(a->info.raw_size, 0);
	queue_give_back(queue, a);
	queue_give_back(queue, b);
	assert_int_equal(queue_fill_percent(queue), 0);
	queue_destroy(queue);
}

/* Returned blocks are reused; the last one first. */
static void a_returned_block_is_reused_as_an_empty_one(void **state)
{
	struct queue *queue = queue_create(MIB(8));
	struct queue_block *block = queue_get(queue, BLOCK_SAMPLES), *again;

	(void)state;
	block->info.records = 3;
	block->until = 5;
	queue_give_back(queue, block);
	again = queue_get(queue, BLOCK_SAMPLES);
	assert_ptr_equal(again, block);
	assert_int_equal(again->info.records, 0);
	assert_int_equal(again->until, 0);
	queue_give_back(queue, again);
	queue_destroy(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			blocks_are_taken_in_the_order_in_which_they_were_put),
		cmocka_unit_test(
			only_waiting_blocks_of_samples_are_taken_without_blocking),
		cmocka_unit_test(a_full_queue_accepts_only_sideband),
		cmocka_unit_test(a_returned_block_makes_room_in_a_full_queue),
		cmocka_unit_test(a_returned_block_is_reused_as_an_empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
