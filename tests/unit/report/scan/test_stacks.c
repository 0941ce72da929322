/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/scan/stacks.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/maps/maps.h"
#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#define SPACE 7u

static uint32_t context_of(struct stacks_raw *stacks, uint32_t tid)
{
	return stacks_context(&stacks->table,
		&(struct context){ .space = SPACE, .comm = 1, .ids.tid = tid });
}

/* Adds a sample of PERIOD at IP, with a callchain of N entries. */
static void add(struct stacks_raw *stacks, uint32_t context, uint64_t period,
	uint64_t ip, const uint64_t *chain, size_t n)
{
	const struct stack_sample sample = {
		.ip = ip,
		.period = period,
		.cpumode = MISC_USER,
		.chain = (const uint8_t *)chain,
		.n_chain = n,
		.n = 1,
	};

	stacks_add(stacks, context, &sample);
}

static void add_sample(
	struct stacks_raw *stacks, const struct sample *sample, bool has_chain)
{
	const struct stack_sample counted = stack_sample_of(sample, has_chain);

	stacks_add(stacks, context_of(stacks, 1), &counted);
}

#define ADD(stacks, context, period, ip, ...)                               \
	add(stacks, context, period, ip, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

/* Stacks that differ only in their marks are counted as one. */
static void stacks_that_differ_only_in_marks_are_equal(void **state _unused_)
{
	static const uint64_t chains[][8] = {
		{ PERF_CONTEXT_KERNEL, 0x200, PERF_CONTEXT_USER, 0x300, 0x400 },
		{ PERF_CONTEXT_KERNEL, 0x200, PERF_CONTEXT_USER, 0x300,
			PERF_CONTEXT_USER, 0x400 },
		{ PERF_CONTEXT_KERNEL, 0x200, PERF_CONTEXT_USER,
			PERF_CONTEXT_USER, PERF_CONTEXT_USER, PERF_CONTEXT_USER,
			0x300, 0x400 },
	};
	static const size_t n[] = { 5, 6, 8 };
	struct stacks_raw stacks = { 0 };
	uint32_t context = context_of(&stacks, 1);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(chains); i++) {
		struct stack_sample sample = {
			.ip = 0x200,
			.period = 1,
			.cpumode = MISC_KERNEL,
			.chain = (const uint8_t *)chains[i],
			.n_chain = n[i],
			.n = 1,
		};

		stack_sample_skip_mark(&sample);
		stacks_add(&stacks, context, &sample);
	}
	assert_int_equal(stacks_n(&stacks.table), 1);
	assert_int_equal(stacks_at(&stacks.table, 0)->samples, 3);
	stacks_raw_deinit(&stacks);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * Returns the table as sorted lines, independent of the numbers in it:
 * "tid: period samples frame frame..."
 */
static void list(const struct stacks_raw *stacks, struct strbuf *out)
{
	ARRAY(char *) lines = { 0 };
	uint32_t i;

	for (i = 0; i < stacks_n(&stacks->table); i++) {
		const struct stack *stack = stacks_at(&stacks->table, i);
		struct chain_raw chain = stacks_raw_chain(stacks, i);
		struct strbuf line = { 0 };

		strbuf_printf(&line, "%u: %" PRIu64 " %" PRIu64,
			stacks->table.contexts.at[stack->context].ids.tid,
			stack->period, stack->samples);
		while (!chain_raw_is_empty(&chain)) {
			const struct frame *frame =
				&stacks->frames.at[chain_raw_next(&chain)];

			strbuf_printf(&line, " %" PRIx64 "%s", frame->ip,
				frame->space == MAPS_KERNEL	? "k"
					: frame->space == SPACE ? ""
								: "?");
		}
		*array_push(&lines) = line.at;
	}
	array_sort(&lines, compare_lines);
	array_each(&lines, line) {
		strbuf_printf(out, "%s\n", *line);
		free(*line);
	}
	array_free(&lines);
}

static void assert_list(const struct stacks_raw *stacks, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };

	list(stacks, &out);
	assert_text(&out, wanted);
}

static void equal_stacks_are_summed(void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	uint32_t context = context_of(&stacks, 1);

	ADD(&stacks, context, 10, 0x100, PERF_CONTEXT_USER, 0x100, 0x200);
	ADD(&stacks, context, 5, 0x100, PERF_CONTEXT_USER, 0x100, 0x300);
	ADD(&stacks, context, 20, 0x100, PERF_CONTEXT_USER, 0x100, 0x200);
	assert_list(&stacks,
		"1: 30 2 100 100 200\n"
		"1: 5 1 100 100 300\n");
	stacks_raw_deinit(&stacks);
}

static void frames_and_their_order_distinguish_stacks(void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	uint32_t context = context_of(&stacks, 1);

	ADD(&stacks, context, 1, 0x100, 0x200, 0x300);
	ADD(&stacks, context, 1, 0x100, 0x300, 0x200);
	ADD(&stacks, context, 1, 0x100, 0x200);
	ADD(&stacks, context, 1, 0x200, 0x200, 0x300);
	ADD(&stacks, context, 1, 0x100, 0x200, 0x300, 0);
	assert_list(&stacks,
		"1: 1 1 100 200\n"
		"1: 1 1 100 200 300\n"
		"1: 1 1 100 200 300 0\n"
		"1: 1 1 100 300 200\n"
		"1: 1 1 200 200 300\n");
	assert_int_equal(stacks.frames.n, 4);
	stacks_raw_deinit(&stacks);
}

static void contexts_distinguish_stacks(void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	struct context context = { .space = SPACE, .ids.tid = 1 };
	struct context *const c = &context;
	uint32_t first = stacks_context(&stacks.table, c);

	assert_int_equal(stacks_context(&stacks.table, c), first);
	c->event = 1;
	assert_int_equal(stacks_context(&stacks.table, c), first + 1);
	c->comm = 1;
	assert_int_equal(stacks_context(&stacks.table, c), first + 2);
	c->ids.pid = 1;
	assert_int_equal(stacks_context(&stacks.table, c), first + 3);
	c->cpu = 1;
	assert_int_equal(stacks_context(&stacks.table, c), first + 4);
	c->is_filtered = true;
	assert_int_equal(stacks_context(&stacks.table, c), first + 5);
	c->space = 9;
	assert_int_equal(stacks_context(&stacks.table, c), first + 6);
	c->ids.pid_use = 1;
	assert_int_equal(stacks_context(&stacks.table, c), first + 7);
	c->ids.tid_use = 1;
	assert_int_equal(stacks_context(&stacks.table, c), first + 8);
	ADD(&stacks, context_of(&stacks, 1), 1, 0x100, 0x200);
	ADD(&stacks, context_of(&stacks, 2), 1, 0x100, 0x200);
	assert_list(&stacks, "1: 1 1 100 200\n2: 1 1 100 200\n");
	stacks_raw_deinit(&stacks);
}

static void a_context_mark_sets_the_cpu_mode_of_following_addresses(
	void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	uint32_t context = context_of(&stacks, 1);

	ADD(&stacks, context, 1, 0x100, PERF_CONTEXT_KERNEL, 0x200, 0x300,
		PERF_CONTEXT_USER, 0x400);
	assert_list(&stacks, "1: 1 1 100 200k 300k 400\n");
	stacks_raw_deinit(&stacks);
}

static void a_chain_without_a_context_mark_has_the_cpu_mode_of_the_sample(
	void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	const uint64_t chain[] = { 0x200, 0x300 };
	const struct sample sample = { .ip = 0x100,
		.cpumode = MISC_KERNEL,
		.period = 1,
		.chain = (const uint8_t *)chain,
		.n_chain = 2 };

	add_sample(&stacks, &sample, true);
	assert_list(&stacks, "1: 1 1 100k 200k 300k\n");
	stacks_raw_deinit(&stacks);
}

static void each_context_mark_has_its_cpu_mode(void **state _unused_)
{
	assert_int_equal(stacks_marker_mode(PERF_CONTEXT_KERNEL), MISC_KERNEL);
	assert_int_equal(stacks_marker_mode(PERF_CONTEXT_USER), MISC_USER);
	assert_int_equal(stacks_marker_mode(PERF_CONTEXT_HV), MISC_HYPERVISOR);
	assert_int_equal(
		stacks_marker_mode(ABI_CONTEXT_USER_DEFERRED), MISC_USER);
	assert_int_equal(stacks_marker_mode(PERF_CONTEXT_GUEST_KERNEL),
		MISC_GUEST_KERNEL);
	assert_int_equal(
		stacks_marker_mode(PERF_CONTEXT_GUEST_USER), MISC_GUEST_USER);
}

static void the_kernel_is_one_address_space_for_all_processes(
	void **state _unused_)
{
	struct frame user = stacks_frame(SPACE, 0x100, MISC_USER);
	struct frame kernel = stacks_frame(SPACE, 0x100, MISC_KERNEL);

	assert_int_equal(user.space, SPACE);
	assert_int_equal(user.ip, 0x100);
	assert_int_equal(user.cpumode, MISC_USER);
	assert_int_equal(kernel.space, MAPS_KERNEL);
	assert_int_equal(kernel.cpumode, MISC_KERNEL);
}

static void without_call_chains_stacks_have_only_the_sampled_address(
	void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	const uint64_t chain[] = { 0x200, 0x300 };
	struct sample sample = { .ip = 0x100,
		.cpumode = MISC_USER,
		.period = 1,
		.chain = (const uint8_t *)chain,
		.n_chain = 2 };

	add_sample(&stacks, &sample, false);
	sample.n_chain = 1;
	add_sample(&stacks, &sample, false);
	sample.n_chain = 0;
	sample.chain = NULL;
	add_sample(&stacks, &sample, true);
	assert_list(&stacks, "1: 3 3 100\n");
	stacks_raw_deinit(&stacks);
}

static void call_chains_can_be_unaligned_in_memory(void **state _unused_)
{
	struct stacks_raw stacks = { 0 };
	const uint64_t chain[] = { 0x200, 0x300 };
	uint8_t bytes[1 + sizeof(chain)];
	struct sample sample = { .ip = 0x100,
		.cpumode = MISC_USER,
		.period = 1,
		.chain = bytes + 1,
		.n_chain = 2 };

	memcpy(bytes + 1, chain, sizeof(chain));
	add_sample(&stacks, &sample, true);
	assert_list(&stacks, "1: 1 1 100 200 300\n");
	stacks_raw_deinit(&stacks);
}

/* Makes sample I of many: some hundred different stacks, some threads. */
static void add_nth(struct stacks_raw *stacks, unsigned i)
{
	uint64_t chain[8] = { PERF_CONTEXT_KERNEL, 0x1000 + i % 3,
		PERF_CONTEXT_USER };
	size_t n = 3 + i % 5, at;

	for (at = 3; at < n; at++)
		chain[at] = 0x2000 + i % 7 * at;
	add(stacks, context_of(stacks, 1 + i % 4), 1 + i % 11, 0x100 + i % 2,
		chain, n);
}

/* Moves FROM with the addresses of its frames. */
static void move(struct stacks_raw *into, struct stacks_raw *from)
{
	ARRAY(uint32_t) numbers = { 0 };

	array_each(&from->frames, frame)
		*array_push(&numbers) = stacks_frame_number(into, frame);
	stacks_move(&into->table, from,
		&(struct stacks_numbers){ numbers.at, numbers.at, numbers.at });
	array_free(&numbers);
	assert_int_equal(stacks_n(&from->table), 0);
}

static void a_merged_table_has_the_stacks_of_both_tables(void **state _unused_)
{
	struct stacks_raw whole = { 0 }, first = { 0 }, second = { 0 };
	struct stacks_raw merged = { 0 };
	_cleanup_strbuf_ struct strbuf wanted = { 0 };
	unsigned i;

	for (i = 0; i < 5000; i++) {
		add_nth(&whole, i);
		/* Both contain nearly all frames, under different numbers. */
		add_nth(i / 64 % 2 ? &first : &second, i);
	}
	list(&whole, &wanted);
	move(&merged, &second);
	move(&merged, &first);
	assert_list(&merged, wanted.at);
	stacks_raw_deinit(&whole);
	stacks_raw_deinit(&first);
	stacks_raw_deinit(&second);
	stacks_raw_deinit(&merged);
}

static void merging_an_empty_table_changes_nothing(void **state _unused_)
{
	struct stacks_raw stacks = { 0 }, empty = { 0 }, merged = { 0 };

	move(&merged, &empty);
	assert_list(&merged, "");
	ADD(&stacks, context_of(&stacks, 1), 1, 0x100, 0x200);
	move(&merged, &stacks);
	move(&merged, &empty);
	assert_list(&merged, "1: 1 1 100 200\n");
	stacks_raw_deinit(&stacks);
	stacks_raw_deinit(&merged);
}

/* More stacks than one segment: the first and the last stack are kept. */
static void stacks_beyond_one_segment_are_all_kept(void **state _unused_)
{
	enum { STACKS = 2 * SEGMENT_STACKS + 1 };
	struct stacks_raw stacks = { 0 }, merged = { 0 };
	uint32_t context = context_of(&stacks, 1);
	uint64_t i, periods = 0;

	for (i = 0; i < 2 * STACKS; i++)
		ADD(&stacks, context, 1 + i / STACKS, i % STACKS, 1, 2, 3);
	assert_int_equal(stacks_n(&stacks.table), STACKS);
	move(&merged, &stacks);
	assert_int_equal(stacks_n(&merged.table), STACKS);
	for (i = 0; i < STACKS; i++) {
		struct chain_raw chain = stacks_raw_chain(&merged, (uint32_t)i);

		assert_int_equal(
			stacks_at(&merged.table, (uint32_t)i)->period, 3);
		periods += merged.frames.at[chain_raw_next(&chain)].ip;
	}
	/* Each address once. */
	assert_true(periods == (uint64_t)STACKS * (STACKS - 1) / 2);
	stacks_raw_deinit(&stacks);
	stacks_raw_deinit(&merged);
}

/* A number takes one to five bytes, and chains are read from both ends. */
static void encoded_chain_numbers_decode_alike_from_the_front_and_the_back(
	void **state _unused_)
{
	static const uint32_t numbers[] = { 0, 1, 127, 128, 0, 16383, 16384,
		UINT32_MAX, 127, 1 << 21, 0 };
	uint8_t bytes[ARRAY_SIZE(numbers) * CHAIN_NUMBER_SIZE], *end = bytes;
	struct chain forward, backward;
	size_t n = ARRAY_SIZE(numbers), i;

	for (i = 0; i < n; i++)
		end = chain_put(end, numbers[i]);
	forward = backward = (struct chain){ bytes, end };
	for (i = 0; i < n; i++) {
		assert_false(chain_is_empty(&forward));
		assert_true(chain_next(&forward) == numbers[i]);
		assert_true(chain_last(&backward) == numbers[n - 1 - i]);
	}
	assert_true(chain_is_empty(&forward));
	assert_true(chain_is_empty(&backward));
}

/* Chains that differ only in redundant markers have the same frames. */
static void merging_joins_stacks_with_equal_frames(void **state _unused_)
{
	struct stacks_raw stacks = { 0 }, merged = { 0 };
	uint32_t context = context_of(&stacks, 1);

	ADD(&stacks, context, 1, 0x100, PERF_CONTEXT_USER, 0x200);
	ADD(&stacks, context, 2, 0x100, 0x200);
	move(&merged, &stacks);
	assert_list(&merged, "1: 3 2 100 200\n");
	stacks_raw_deinit(&stacks);
	stacks_raw_deinit(&merged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_that_differ_only_in_marks_are_equal),
		cmocka_unit_test(equal_stacks_are_summed),
		cmocka_unit_test(frames_and_their_order_distinguish_stacks),
		cmocka_unit_test(contexts_distinguish_stacks),
		cmocka_unit_test(
			a_context_mark_sets_the_cpu_mode_of_following_addresses),
		cmocka_unit_test(
			a_chain_without_a_context_mark_has_the_cpu_mode_of_the_sample),
		cmocka_unit_test(each_context_mark_has_its_cpu_mode),
		cmocka_unit_test(
			the_kernel_is_one_address_space_for_all_processes),
		cmocka_unit_test(
			without_call_chains_stacks_have_only_the_sampled_address),
		cmocka_unit_test(call_chains_can_be_unaligned_in_memory),
		cmocka_unit_test(a_merged_table_has_the_stacks_of_both_tables),
		cmocka_unit_test(merging_an_empty_table_changes_nothing),
		cmocka_unit_test(stacks_beyond_one_segment_are_all_kept),
		cmocka_unit_test(
			encoded_chain_numbers_decode_alike_from_the_front_and_the_back),
		cmocka_unit_test(merging_joins_stacks_with_equal_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
