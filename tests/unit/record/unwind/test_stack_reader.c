/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stack_reader.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "record/sys/clocks.h"
#include "tests/unit/testing.h"

#define TID 7u

/* A stack of this process. A copy ends in its middle. */
static uint64_t stack[512];

static struct stack_request question_at(uint64_t time)
{
	return (struct stack_request){
		.pid = (uint32_t)getpid(),
		.tid = TID,
		.time = time,
		.address = (uint64_t)(uintptr_t)&stack[256],
		.overlap = 64,
	};
}

/* The reading thread can be delayed longer than a recorder would wait. */
#define TRIES 100

static void assert_found(
	struct stack_reader *reader, uint64_t time, bool is_wanted)
{
	static uint8_t bytes[STACK_READER_SIZE_MAX];
	struct stack_location place;
	size_t n = stack_reader_find(reader, TID, time, bytes, &place), i;

	for (i = 0; is_wanted && !n && i < TRIES; i++)
		n = stack_reader_find(reader, TID, time, bytes, &place);
	assert_int_equal(n > 64, is_wanted);
	if (!is_wanted)
		return;
	assert_memory_equal(bytes, &stack[248], 64);
	/* The default: the stack continues where the copy ends. */
	assert_true(place.address == (uint64_t)(uintptr_t)&stack[256]);
	assert_true(place.from == place.address);
}

static void ask(struct stack_reader *reader, uint64_t time)
{
	const struct stack_request question = question_at(time);

	assert_true(stack_reader_request(reader, &question));
}

/* A sample whose copy starts at STACK_POINTER and contains the whole stack. */
static void see(struct stack_reader *reader, uint32_t tid, uint64_t time,
	uint64_t stack_pointer)
{
	uint64_t start = (uint64_t)(uintptr_t)stack;
	const struct stack_observation seen = {
		.tid = tid,
		.time = time,
		.stack_pointer = stack_pointer,
		.bytes = (const uint8_t *)(uintptr_t)stack_pointer,
		.size = start + sizeof(stack) - stack_pointer,
	};

	stack_reader_observe(reader, &seen);
}

static void the_stack_beyond_a_stack_copy_is_read(void **state _unused_)
{
	struct stack_reader *reader = stack_reader_create();

	memset(stack, 0x5a, sizeof(stack));
	ask(reader, clocks_now());
	assert_no_error(stack_reader_start(reader, 0));
	ask(reader, 1);
	assert_found(reader, 1, true);
	assert_found(reader, 2, false);
	stack_reader_destroy(reader);
}

/* Returns how much was read of a new thread of PID. */
static size_t read_of_new(
	struct stack_reader *reader, uint32_t pid, uint32_t tid)
{
	static uint8_t bytes[STACK_READER_SIZE_MAX],
		large[2 * STACK_READER_SIZE_MAX];
	struct stack_location place;
	const struct stack_request question = {
		.pid = pid,
		.tid = tid,
		.time = clocks_now(),
		.address = (uint64_t)(uintptr_t)large,
	};
	size_t n = 0, i;

	memset(large, 1, sizeof(large));
	assert_true(stack_reader_request(reader, &question));
	for (i = 0; !n && i < TRIES; i++)
		n = stack_reader_find(
			reader, tid, question.time, bytes, &place);
	return n;
}

/* Threads can end before their second sample. */
static void stacks_of_new_threads_are_read_in_the_size_of_others(
	void **state _unused_)
{
	struct stack_reader *reader = stack_reader_create();
	uint32_t pid = (uint32_t)getpid();
	size_t n;

	assert_no_error(stack_reader_start(reader, 0));
	assert_int_equal(read_of_new(reader, pid, 1), STACK_READER_SIZE_MAX);
	stack_reader_set_need(reader, pid, 0);
	n = read_of_new(reader, pid, 2);
	assert_in_range(n, 1, KIB(256));
	/* The next sample of a thread whose stack start is unknown. */
	assert_int_equal(read_of_new(reader, pid, 2), 2 * n);
	stack_reader_set_need(reader, pid, KIB(400));
	assert_in_range(read_of_new(reader, pid, 3), KIB(400), KIB(512));
	stack_reader_set_need(reader, pid, KIB(200));
	assert_in_range(read_of_new(reader, pid, 4), KIB(400), KIB(512));
	stack_reader_set_need(reader, pid, 2 * STACK_READER_SIZE_MAX);
	assert_int_equal(read_of_new(reader, pid, 5), STACK_READER_SIZE_MAX);
	stack_reader_destroy(reader);
}

/* Stacks are adjacent, and their threads change. */
static void nothing_beyond_the_start_of_a_stack_is_read(void **state _unused_)
{
	struct stack_reader *reader = stack_reader_create();
	const uint64_t top = 0x7f0000040ff0, next = top + KIB(256);
	struct stack_request question = { .pid = 7,
		.tid = TID,
		.time = 1,
		.start = top - KIB(20),
		.address = top + KIB(40) };

	assert_false(stack_reader_is_beyond(reader, 7, top - 8, top + 8));
	stack_reader_add_start(reader, 7, top);
	stack_reader_add_start(reader, 7, next);
	assert_true(
		stack_reader_is_beyond(reader, 7, top - KIB(64) + 8, top + 8));
	assert_true(stack_reader_is_beyond(reader, 7, top - 8, top + KIB(60)));
	/* Before it; another stack that starts later; another process. */
	assert_false(stack_reader_is_beyond(reader, 7, top - KIB(64), top));
	assert_false(stack_reader_is_beyond(reader, 7, top + 8, top + KIB(64)));
	assert_false(stack_reader_is_beyond(reader, 8, top - 8, top + 8));
	assert_false(stack_reader_request(reader, &question));
	question.start = top + 8;
	assert_true(stack_reader_request(reader, &question));
	/* A larger stack has replaced it. */
	stack_reader_remove_starts(reader, 7, top - KIB(20), top + KIB(40));
	assert_false(stack_reader_is_beyond(reader, 7, top - 8, top + 8));
	assert_true(stack_reader_is_beyond(reader, 7, next - 8, next + 8));
	stack_reader_remove_starts(reader, 7, top, UINT64_MAX);
	assert_false(stack_reader_is_beyond(reader, 7, next - 8, next + 8));
	stack_reader_destroy(reader);
}

/* Only up to its start, which any thread can have found. */
static void a_stack_with_a_known_start_is_read_up_to_it(void **state _unused_)
{
	static uint8_t bytes[STACK_READER_SIZE_MAX],
		large[2 * STACK_READER_SIZE_MAX];
	struct stack_reader *reader = stack_reader_create();
	const uint64_t start = (uint64_t)(uintptr_t)large;
	struct stack_request question = { .pid = (uint32_t)getpid(),
		.tid = TID,
		.time = 1,
		.address = start };
	struct stack_location place;
	size_t n = 0, i;

	memset(large, 1, sizeof(large));
	stack_reader_add_start(reader, question.pid, start + KIB(300));
	assert_no_error(stack_reader_start(reader, 0));
	assert_true(stack_reader_request(reader, &question));
	for (i = 0; !n && i < TRIES; i++)
		n = stack_reader_find(
			reader, TID, question.time, bytes, &place);
	assert_in_range(n, KIB(300), KIB(308));
	stack_reader_destroy(reader);
}

/* The thread had returned before the stack was read. */
static void a_stack_that_was_left_before_the_reading_is_not_returned(
	void **state _unused_)
{
	const struct stack_request end = question_at(0);
	struct stack_reader *reader = stack_reader_create();
	uint64_t now = clocks_now();

	ask(reader, now - 30);
	ask(reader, now - 20);
	ask(reader, now - 10);
	see(reader, TID, now - 15, end.address + 8);
	see(reader, TID + 1, now, end.address + 8);
	see(reader, TID, now, end.address);
	assert_no_error(stack_reader_start(reader, 0));
	assert_found(reader, now - 10, true);
	assert_found(reader, now - 20, false);
	assert_found(reader, now - 30, false);
	stack_reader_destroy(reader);
}

static void a_stack_that_was_left_after_the_reading_is_returned(
	void **state _unused_)
{
	const struct stack_request end = question_at(0);
	struct stack_reader *reader = stack_reader_create();
	uint64_t now = clocks_now();

	ask(reader, now);
	ask(reader, now + 1);
	assert_no_error(stack_reader_start(reader, 0));
	assert_found(reader, now + 1, true);
	see(reader, TID, clocks_now(), end.address + 8);
	assert_found(reader, now, true);
	stack_reader_destroy(reader);
}

/* Only the first sample after the reading counts. */
static void the_overlap_with_the_next_stack_copy_is_kept(void **state _unused_)
{
	const struct stack_request end = question_at(0);
	struct stack_reader *reader = stack_reader_create();
	uint64_t now = clocks_now(), i;
	uint8_t bytes[STACK_READER_OVERLAP];

	assert_no_error(stack_reader_start(reader, 0));
	for (i = 0; i < 4; i++) {
		ask(reader, now + i);
		assert_found(reader, now + i, true);
	}
	/* The copy starts before, inside and behind the request. */
	stack[255] = 0x1234;
	see(reader, TID, clocks_now(), end.address - 128);
	stack[255] = 0x5678;
	see(reader, TID, clocks_now(), end.address - 128);
	assert_int_equal(stack_reader_find_overlap(reader, TID, now, bytes),
		end.overlap);
	assert_int_equal(bytes[56] | bytes[57] << 8, 0x1234);
	assert_int_equal(stack_reader_find_overlap(reader, TID, now, bytes), 0);
	ask(reader, now + 5);
	assert_found(reader, now + 5, true);
	see(reader, TID, clocks_now(), end.address - 16);
	assert_int_equal(
		stack_reader_find_overlap(reader, TID, now + 5, bytes), 16);
	ask(reader, now + 6);
	assert_found(reader, now + 6, true);
	see(reader, TID, clocks_now(), end.address);
	assert_int_equal(
		stack_reader_find_overlap(reader, TID, now + 6, bytes), 0);
	/* There is no later sample: the wait is short. */
	ask(reader, now + 7);
	assert_found(reader, now + 7, true);
	assert_int_equal(
		stack_reader_find_overlap(reader, TID, now + 7, bytes), 0);
	stack_reader_destroy(reader);
}

static char handlers_stack[KIB(64)];
static struct stack_signal_frame signal_frame;
static uint64_t interrupted_sp, interrupted_at;
static bool was_read, has_run;

static void handle(int signal _unused_, siginfo_t *info _unused_, void *data)
{
	const ucontext_t *context = data;
#ifdef __aarch64__
	const void *sp = &context->uc_mcontext.sp;
#else
	const void *sp = &context->uc_mcontext.gregs[REG_RSP];
#endif

	interrupted_at = (uint64_t)(uintptr_t)sp;
	memcpy(&interrupted_sp, sp, sizeof(interrupted_sp));
	was_read = stack_signal_frames_read((const uint8_t *)handlers_stack,
		sizeof(handlers_stack), (uint64_t)(uintptr_t)handlers_stack,
		interrupted_at, &signal_frame);
	has_run = stack_signal_handler_runs(
		getpid(), gettid(), signal_frame.mask);
}

static void the_stack_that_a_signal_handler_interrupted_is_read(
	void **state _unused_)
{
	stack_t other = { .ss_sp = handlers_stack,
		.ss_size = sizeof(handlers_stack) };
	struct sigaction action = { .sa_sigaction = handle,
		.sa_flags = SA_ONSTACK | SA_SIGINFO };
	const uint8_t *bytes = (const uint8_t *)handlers_stack;
	uint64_t start = (uint64_t)(uintptr_t)handlers_stack;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	assert_int_equal(sigaltstack(&other, NULL), 0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	assert_true(was_read);
	assert_int_equal(signal_frame.from, interrupted_sp);
	assert_int_equal(signal_frame.mask, 1 << (SIGUSR2 - 1));
	assert_int_equal(signal_frame.end, interrupted_at - start + 16);
	/* The handler was running then, and has returned. */
	assert_true(has_run);
	assert_false(stack_signal_handler_runs(getpid(), gettid(), 0));
	assert_false(stack_signal_handler_runs(getpid(), 0, 0));
	/* At another place. */
	assert_false(stack_signal_frames_read(
		bytes, sizeof(handlers_stack), start, 0, &signal_frame));
	assert_false(stack_signal_frames_read(
		bytes, 8, start, start, &signal_frame));
	assert_false(stack_signal_frames_read(
		bytes, 0, start, start, &signal_frame));
	other.ss_flags = SS_DISABLE;
	sigaltstack(&other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stack_beyond_a_stack_copy_is_read),
		cmocka_unit_test(
			stacks_of_new_threads_are_read_in_the_size_of_others),
		cmocka_unit_test(nothing_beyond_the_start_of_a_stack_is_read),
		cmocka_unit_test(a_stack_with_a_known_start_is_read_up_to_it),
		cmocka_unit_test(
			the_stack_that_a_signal_handler_interrupted_is_read),
		cmocka_unit_test(
			a_stack_that_was_left_before_the_reading_is_not_returned),
		cmocka_unit_test(
			a_stack_that_was_left_after_the_reading_is_returned),
		cmocka_unit_test(the_overlap_with_the_next_stack_copy_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
