/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how records of waits become samples of the event offcpu-waits. */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/perf/wait_sample.h"
#include "record/bpf/wait_join.h"
#include "tests/unit/record/bpf/made_registers.h"

#define TID 8u
#define ID 42u
#define UNIQUE (WAIT_KEY_UNIQUE | 5)

static const struct perf_event_attr attr = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.sample_regs_user = SP_AND_IP,
};

/* Gives SIZE bytes of DATA, a record of KIND of thread TID, to JOIN. */
static const struct perf_event_header *give(struct wait_join *join,
	enum chain_kind kind, const void *data, size_t size)
{
	const struct chain_output output = { .kind = kind,
		.pid = 7,
		.tid = TID,
		.size = (uint32_t)size,
		.raw = data };
	const struct perf_event_header *sample;

	assert_true(wait_join_take(join, &output, &sample));
	return sample;
}

/* Gives a stack with KEY: two frames of the kernel, and two of the user. */
static void give_stack(struct wait_join *join, uint64_t key)
{
	static const struct chain_record stack = {
		.kind = CHAIN_STACK,
		.n = 2,
		.n_kernel = 2,
		.end = CHAIN_NO_RULE,
		.registers = MADE_REGISTERS,
		.pcs = { 0x1000, 0x1001, 0xffffffff81000001,
			0xffffffff81000002 },
	};
	struct chain_record *copy = test_malloc(sizeof(stack));

	*copy = stack;
	copy->key = key;
	assert_null(give(join, CHAIN_STACK, copy,
		offsetof(struct chain_record, pcs) + 32));
	test_free(copy);
}

static void give_copy(struct wait_join *join, uint64_t key, uint32_t size)
{
	struct chain_copy *copy = test_malloc(sizeof(*copy));

	memset(copy, 0x5a, sizeof(*copy));
	*copy = (struct chain_copy){
		.kind = CHAIN_COPY, .size = size, .key = key
	};
	memset(copy->bytes, 0x5a, size);
	assert_null(give(join, CHAIN_COPY, copy,
		offsetof(struct chain_copy, bytes) + size));
	test_free(copy);
}

static const struct perf_event_header *give_wait(
	struct wait_join *join, uint64_t key)
{
	const struct chain_wait wait = { .kind = CHAIN_WAIT,
		.key = { .pid = 7, .tid = TID, .stack = key },
		.times = { .n = 2,
			.blocked = 100,
			.runnable = 20,
			.preempted = 3,
			.longest = 90,
			.end = 5000,
			.cpu = 3 },
		.is_sum = 1 };

	return give(join, CHAIN_WAIT, &wait, sizeof(wait));
}

static struct sample read_sample(const struct perf_event_header *made)
{
	struct sample_layout layout;
	struct sample ret;

	sample_layout_init(&layout, &attr);
	assert_non_null(made);
	assert_int_equal(made->size % 8, 0);
	assert_true(sample_read(&layout,
		&(struct record){ made->type, made->misc, made->size,
			(const uint8_t *)made, false },
		&ret));
	return ret;
}

static void a_wait_sample_has_its_times_and_the_stack_of_its_key(
	void **state _unused_)
{
	static const uint64_t expected[] = { PERF_CONTEXT_KERNEL,
		0xffffffff81000001, 0xffffffff81000002, PERF_CONTEXT_USER,
		0x1000, 0x1001 };
	struct wait_join *join = wait_join_create(&attr, ID);
	struct wait_sample wait;
	struct sample sample;
	int again;

	give_stack(join, 6);
	give_stack(join, 9);
	for (again = 0; again < 2; again++) {
		sample = read_sample(give_wait(join, 6));
		assert_int_equal(sample.id, ID);
		assert_int_equal(sample.ip, expected[1]);
		assert_int_equal(sample.tid, TID);
		assert_int_equal(sample.time, 5000);
		assert_int_equal(sample.cpu, 3);
		assert_int_equal(sample.period, 123);
		assert_int_equal(sample.n_chain, ARRAY_SIZE(expected));
		assert_memory_equal(sample.chain, expected, sizeof(expected));
		assert_int_equal(sample.stack_size, 0);
		assert_true(wait_sample_read(&sample, false, &wait));
		assert_int_equal(wait.n, 2);
		assert_int_equal(wait.blocked, 100);
		assert_int_equal(wait.runnable, 20);
		assert_int_equal(wait.preempted, 3);
		assert_int_equal(wait.longest, 90);
		assert_true(wait.is_sum && !wait.is_open);
	}
	assert_int_equal(wait_join_counts(join).samples, 2);
	assert_int_equal(wait_join_counts(join).stackless, 0);
	wait_join_destroy(join);
}

static void an_incomplete_stack_is_joined_once_with_its_stack_copy(
	void **state _unused_)
{
	struct wait_join *join = wait_join_create(&attr, ID);
	struct sample sample;
	uint64_t registers[2], key;

	give_copy(join, UNIQUE, 100);
	give_stack(join, UNIQUE);
	sample = read_sample(give_wait(join, UNIQUE));
	assert_int_equal(sample.n_chain, 6);
	assert_int_equal(sample.regs_user_abi, PERF_SAMPLE_REGS_ABI_64);
	memcpy(registers, sample.regs_user, sizeof(registers));
	assert_int_equal(registers[0], 0x7ff0);
	assert_int_equal(registers[1], 0xabc);
	assert_int_equal(sample.stack_size, 100);
	assert_int_equal(sample.stack[99], 0x5a);
	/* The key is of one wait. */
	assert_null(give_wait(join, UNIQUE));
	sample = read_sample(wait_join_next(join, true));
	assert_int_equal(sample.n_chain, 0);
	/* A copy of another stack is not used. */
	give_copy(join, UNIQUE + 1, 100);
	give_stack(join, UNIQUE);
	assert_int_equal(read_sample(give_wait(join, UNIQUE)).stack_size, 0);
	/* The next stacks of a thread can come before the end of its wait. */
	for (key = UNIQUE; key < UNIQUE + 17; key++)
		give_stack(join, key);
	assert_null(give_wait(join, UNIQUE));
	while (key-- > UNIQUE + 1)
		assert_non_null(give_wait(join, key));
	wait_join_destroy(join);
}

static void a_wait_is_held_for_its_stack_for_up_to_two_rounds(
	void **state _unused_)
{
	struct wait_join *join = wait_join_create(&attr, ID);

	assert_null(give_wait(join, 6));
	assert_null(give_wait(join, 9));
	assert_null(wait_join_next(join, false));
	give_stack(join, 6);
	assert_int_equal(read_sample(wait_join_next(join, false)).n_chain, 6);
	assert_null(wait_join_next(join, false));
	wait_join_begin_round(join);
	wait_join_begin_round(join);
	assert_null(wait_join_next(join, false));
	wait_join_begin_round(join);
	assert_int_equal(read_sample(wait_join_next(join, false)).n_chain, 0);
	assert_int_equal(wait_join_counts(join).stackless, 1);
	/* The stack of key 0 was lost in the kernel. */
	assert_int_equal(read_sample(give_wait(join, 0)).n_chain, 0);
	wait_join_destroy(join);
}

static void the_least_recently_used_stacks_are_dropped(void **state _unused_)
{
	struct wait_join *join = wait_join_create(&attr, ID);
	uint64_t key;

	for (key = 1; key <= 5 * WAIT_STACKS_MAX; key++) {
		give_stack(join, key);
		assert_non_null(give_wait(join, 1));
	}
	assert_int_equal(wait_join_counts(join).stackless, 0);
	assert_non_null(give_wait(join, 5 * WAIT_STACKS_MAX));
	assert_null(give_wait(join, 2));
	wait_join_destroy(join);
}

static void truncated_records_are_not_read_beyond_their_end(
	void **state _unused_)
{
	static const enum chain_kind kinds[] = { CHAIN_STACK, CHAIN_COPY,
		CHAIN_WAIT };
	struct wait_join *join = wait_join_create(&attr, ID);
	uint8_t *bytes;
	size_t kind, size;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (size = 4; size < 300; size++) {
			const struct perf_event_header *sample;
			struct chain_output output = { .kind = kinds[kind],
				.tid = TID,
				.size = (uint32_t)size };

			bytes = test_malloc(size);
			memset(bytes, 0xff, size);
			output.raw = bytes;
			wait_join_take(join, &output, &sample);
			test_free(bytes);
		}
	while (wait_join_next(join, true))
		;
	wait_join_destroy(join);
}

static void raw_data_of_a_wait_with_another_version_or_size_is_refused(
	void **state _unused_)
{
	const struct wait_sample written = {
		.n = 1, .blocked = 5, .longest = 5
	};
	struct strbuf raw = { 0 };
	struct sample sample = { 0 };
	struct wait_sample read;

	wait_sample_put(&written, &raw);
	assert_int_equal(raw.n, WAIT_SAMPLE_SIZE);
	sample.raw = (const uint8_t *)raw.at;
	sample.raw_size = (uint32_t)raw.n;
	assert_true(wait_sample_read(&sample, false, &read));
	assert_int_equal(read.blocked, 5);
	sample.raw_size = 40;
	assert_false(wait_sample_read(&sample, false, &read));
	sample.raw_size = (uint32_t)raw.n;
	raw.at[0] = 2;
	assert_false(wait_sample_read(&sample, false, &read));
	sample = (struct sample){ .period = 77 };
	assert_false(wait_sample_read(&sample, false, &read));
	strbuf_free(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_wait_sample_has_its_times_and_the_stack_of_its_key),
		cmocka_unit_test(
			an_incomplete_stack_is_joined_once_with_its_stack_copy),
		cmocka_unit_test(
			a_wait_is_held_for_its_stack_for_up_to_two_rounds),
		cmocka_unit_test(the_least_recently_used_stacks_are_dropped),
		cmocka_unit_test(
			truncated_records_are_not_read_beyond_their_end),
		cmocka_unit_test(
			raw_data_of_a_wait_with_another_version_or_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
