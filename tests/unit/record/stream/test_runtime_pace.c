/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/util/clock.h"
#include "record/stream/runtime_pace.h"

#define PID 5000u

static const struct runtime_traits interpreter = { 0 };
static const struct runtime_traits compiler = { .compiles = true };
static const struct runtime_traits line_reader = { .reads_lines = true };

struct fixture {
	struct runtimes *runtimes;
	struct runtime_pace *pace;
	uint64_t now;
};

/* Begins a round in which code is no longer new. */
static void begin_later_round(struct fixture *f)
{
	f->now += 251 * NSEC_PER_MSEC;
	runtime_pace_begin_round(f->pace, f->now);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->runtimes = runtimes_create(RUNTIMES_ALL);
	f->pace = runtime_pace_create(f->runtimes, true);
	begin_later_round(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	runtime_pace_destroy(f->pace);
	runtimes_destroy(f->runtimes);
	free(f);
	return 0;
}

static bool has_limits(
	const struct runtime_pace *pace, uint64_t poll_ms, uint64_t flush_ms)
{
	struct runtime_limits limits = runtime_pace_limits(pace);

	return limits.poll ==
		(poll_ms ? poll_ms * NSEC_PER_MSEC : UINT64_MAX) &&
		limits.flush ==
		(flush_ms ? flush_ms * NSEC_PER_MSEC : UINT64_MAX);
}

/*
 * Adds a stack of the process PID with N return addresses and FRAME, of which
 * SIZE bytes were sent.
 */
static void add_stack_of(struct fixture *f, uint32_t pid, uint32_t n,
	const struct chain_linked *frame, size_t size)
{
	static struct chain_record stack = { .kind = CHAIN_STACK };
	const struct chain_output output = { CHAIN_STACK, pid, pid,
		(uint32_t)(offsetof(struct chain_record, pcs) + size), &stack };

	stack.n = n;
	stack.n_linked = 1;
	memcpy(stack.pcs + n, frame, sizeof(*frame));
	runtime_pace_add_stack(f->pace, &output);
}

/* The same for PID and a frame of the function CODE. */
static void add_stack(struct fixture *f, uint32_t n, uint64_t code,
	uint64_t cookie, size_t size)
{
	struct chain_linked frame = { .code = code, .cookie = cookie };

	add_stack_of(f, PID, n, &frame, size);
}

static void without_a_process_with_a_runtime_there_is_no_limit(void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_sample(f->pace, PID);
	runtime_pace_add_sample(f->pace, 0);
	assert_true(has_limits(f->pace, 0, 0));
}

static void samples_of_a_new_process_are_unwound_soon(void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_process(f->pace, PID, &interpreter);
	assert_true(has_limits(f->pace, 5, 5));
	begin_later_round(f);
	assert_true(has_limits(f->pace, 20, 0));
	runtime_pace_add_sample(f->pace, PID + 1);
	runtime_pace_add_sample(f->pace, 0);
	assert_true(has_limits(f->pace, 20, 0));
	runtime_pace_add_sample(f->pace, PID);
	assert_true(has_limits(f->pace, 5, 5));
	f->now += 200 * NSEC_PER_MSEC;
	runtime_pace_begin_round(f->pace, f->now);
	runtime_pace_add_sample(f->pace, PID);
	f->now += 200 * NSEC_PER_MSEC;
	runtime_pace_begin_round(f->pace, f->now);
	runtime_pace_add_sample(f->pace, PID);
	assert_true(has_limits(f->pace, 20, 0));
	/* The process was idle. */
	begin_later_round(f);
	runtime_pace_add_sample(f->pace, PID);
	assert_true(has_limits(f->pace, 5, 5));
}

static void samples_of_a_child_of_a_process_with_a_runtime_are_unwound_soon(
	void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_process(f->pace, PID, &interpreter);
	begin_later_round(f);
	runtime_pace_add_fork(f->pace, PID + 1, PID + 2);
	runtime_pace_add_sample(f->pace, PID + 2);
	assert_true(has_limits(f->pace, 20, 0));
	runtime_pace_add_fork(f->pace, PID, PID + 3);
	assert_true(has_limits(f->pace, 5, 5));
}

static void a_function_that_is_new_in_a_stack_is_unwound_soon(void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_process(f->pace, PID, &interpreter);
	begin_later_round(f);
	add_stack(f, 3, 0x1000, 7, 8 * 6);
	assert_true(has_limits(f->pace, 5, 5));
	begin_later_round(f);
	add_stack(f, 2, 0x1000, 7, 8 * 5);
	assert_true(has_limits(f->pace, 20, 0));
	/* The memory of a function is used again. */
	add_stack(f, 2, 0x1000, 8, 8 * 5);
	assert_true(has_limits(f->pace, 5, 5));
}

/* The names are read from each process. */
static void a_function_that_is_new_in_one_process_is_unwound_soon(void **state)
{
	struct fixture *f = *state;
	const struct chain_linked frame = { .code = 0x1000, .cookie = 7 };

	runtime_pace_add_process(f->pace, PID, &interpreter);
	runtime_pace_add_fork(f->pace, PID, PID + 1);
	add_stack_of(f, PID, 2, &frame, 8 * 5);
	begin_later_round(f);
	add_stack_of(f, PID + 1, 2, &frame, 8 * 5);
	assert_true(has_limits(f->pace, 5, 5));
	begin_later_round(f);
	add_stack_of(f, PID, 2, &frame, 8 * 5);
	add_stack_of(f, PID + 1, 2, &frame, 8 * 5);
	assert_true(has_limits(f->pace, 20, 0));
	/* An exec. */
	runtime_pace_add_process(f->pace, PID, &interpreter);
	begin_later_round(f);
	add_stack_of(f, PID, 2, &frame, 8 * 5);
	assert_true(has_limits(f->pace, 5, 5));
}

static void a_new_line_is_unwound_soon_only_if_lines_are_read(void **state)
{
	struct fixture *f = *state;
	struct chain_linked frame = { .code = 0x1000, .cookie = 7, .where = 1 };

	runtime_pace_add_process(f->pace, PID, &interpreter);
	runtime_pace_add_process(f->pace, PID + 1, &line_reader);
	add_stack_of(f, PID, 2, &frame, 8 * 5);
	add_stack_of(f, PID + 1, 2, &frame, 8 * 5);
	begin_later_round(f);
	frame.where = 2;
	add_stack_of(f, PID, 2, &frame, 8 * 5);
	assert_true(has_limits(f->pace, 20, 0));
	add_stack_of(f, PID + 1, 2, &frame, 8 * 5);
	assert_true(has_limits(f->pace, 5, 5));
}

/* The line of an instruction of a known function is read soon, and then nothing is. */
static void a_new_line_of_a_known_function_is_unwound_soon_for_25_ms(
	void **state)
{
	struct fixture *f = *state;
	struct chain_linked frame = { .code = 1, .cookie = 2, .where = 3 };

	runtime_pace_add_process(f->pace, PID, &line_reader);
	add_stack_of(f, PID, 3, &frame, 256);
	begin_later_round(f);
	frame.where = 4;
	add_stack_of(f, PID, 3, &frame, 256);
	assert_true(has_limits(f->pace, 5, 5));
	f->now += 24 * NSEC_PER_MSEC;
	runtime_pace_begin_round(f->pace, f->now);
	assert_true(has_limits(f->pace, 5, 5));
	f->now += 2 * NSEC_PER_MSEC;
	runtime_pace_begin_round(f->pace, f->now);
	assert_true(has_limits(f->pace, 20, 0));
	frame.code = 2;
	add_stack_of(f, PID, 3, &frame, 256);
	f->now += 26 * NSEC_PER_MSEC;
	runtime_pace_begin_round(f->pace, f->now);
	assert_true(has_limits(f->pace, 5, 5));
}

/* Few of 1,000 functions replace others. */
static void a_thousand_functions_stay_known(void **state)
{
	struct fixture *f = *state;
	unsigned n_new = 0;
	uint64_t i;

	runtime_pace_add_process(f->pace, PID, &interpreter);
	for (i = 0; i < 1000; i++)
		add_stack(f, 2, 0x1000 + 8 * i, 7, 8 * 5);
	for (i = 0; i < 1000; i++) {
		begin_later_round(f);
		add_stack(f, 2, 0x1000 + 8 * i, 7, 8 * 5);
		n_new += has_limits(f->pace, 5, 5);
	}
	assert_in_range(n_new, 0, 10);
}

static void after_a_restart_all_functions_are_new(void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_process(f->pace, PID, &interpreter);
	add_stack(f, 2, 0x1000, 7, 8 * 5);
	begin_later_round(f);
	assert_true(has_limits(f->pace, 20, 0));
	runtimes_restart(f->runtimes);
	begin_later_round(f);
	assert_true(has_limits(f->pace, 5, 5));
	begin_later_round(f);
	add_stack(f, 2, 0x1000, 7, 8 * 5);
	assert_true(has_limits(f->pace, 5, 5));
}

static void truncated_stacks_of_bpf_have_no_new_function(void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_process(f->pace, PID, &interpreter);
	begin_later_round(f);
	add_stack(f, 3, 0x1000, 7, 8 * 6 - 1);
	add_stack(f, 3, 0x1000, 7, 8);
	assert_true(has_limits(f->pace, 20, 0));
}

static void samples_of_a_runtime_that_compiles_are_always_unwound_soon(
	void **state)
{
	struct fixture *f = *state;

	runtime_pace_add_process(f->pace, PID, &compiler);
	begin_later_round(f);
	assert_true(has_limits(f->pace, 5, 5));
}

static void without_bpf_samples_of_each_runtime_are_unwound_soon(void **state)
{
	struct fixture *f = *state;

	runtime_pace_destroy(f->pace);
	f->pace = runtime_pace_create(f->runtimes, false);
	begin_later_round(f);
	assert_true(has_limits(f->pace, 0, 0));
	runtime_pace_add_process(f->pace, PID, &interpreter);
	begin_later_round(f);
	assert_true(has_limits(f->pace, 5, 5));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_process_with_a_runtime_there_is_no_limit),
		TEST(samples_of_a_new_process_are_unwound_soon),
		TEST(samples_of_a_child_of_a_process_with_a_runtime_are_unwound_soon),
		TEST(a_function_that_is_new_in_a_stack_is_unwound_soon),
		TEST(a_function_that_is_new_in_one_process_is_unwound_soon),
		TEST(a_new_line_is_unwound_soon_only_if_lines_are_read),
		TEST(a_new_line_of_a_known_function_is_unwound_soon_for_25_ms),
		TEST(a_thousand_functions_stay_known),
		TEST(after_a_restart_all_functions_are_new),
		TEST(truncated_stacks_of_bpf_have_no_new_function),
		TEST(samples_of_a_runtime_that_compiles_are_always_unwound_soon),
		TEST(without_bpf_samples_of_each_runtime_are_unwound_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
