/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/unwind/stack_reader.h"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "record/sys/clocks.h"
#include "record/unwind/signal_frames.h"
#include "tests/unit/testing.h"

#define TID 7u

/* A stack of this process's own; a copy ends in its middle. */
static uint64_t stack[512];

static struct depths_question question_at(uint64_t time)
{
	return (struct depths_question){
		.pid = (uint32_t)getpid(),
		.tid = TID,
		.time = time,
		.address = (uint64_t)(uintptr_t)&stack[256],
		.overlap = 64,
	};
}

/* The reading thread may get no CPU for longer than a recorder would wait. */
#define TRIES 100

static void assert_found(struct depths *depths, uint64_t time, bool is_wanted)
{
	static uint8_t bytes[DEPTHS_SIZE_MAX];
	struct depths_place place;
	size_t n = depths_find(depths, TID, time, bytes, &place), i;

	for (i = 0; is_wanted && !n && i < TRIES; i++)
		n = depths_find(depths, TID, time, bytes, &place);
	assert_int_equal(n > 64, is_wanted);
	if (!is_wanted)
		return;
	assert_memory_equal(bytes, &stack[248], 64);
	/* Nothing else was said: it goes on where the copy ends. */
	assert_true(place.address == (uint64_t)(uintptr_t)&stack[256]);
	assert_true(place.from == place.address);
}

static void ask(struct depths *depths, uint64_t time)
{
	const struct depths_question question = question_at(time);

	assert_true(depths_ask(depths, &question));
}

/* A sample whose copy begins at STACK_POINTER and has all of the stack. */
static void see(struct depths *depths, uint32_t tid, uint64_t time,
	uint64_t stack_pointer)
{
	uint64_t start = (uint64_t)(uintptr_t)stack;
	const struct depths_seen seen = {
		.tid = tid,
		.time = time,
		.stack_pointer = stack_pointer,
		.bytes = (const uint8_t *)(uintptr_t)stack_pointer,
		.size = start + sizeof(stack) - stack_pointer,
	};

	depths_see(depths, &seen);
}

static void what_is_behind_a_copy_is_read(void **state _unused_)
{
	struct depths *depths = depths_create();

	memset(stack, 0x5a, sizeof(stack));
	ask(depths, clocks_now());
	assert_no_error(depths_start(depths, 0));
	ask(depths, 1);
	assert_found(depths, 1, true);
	assert_found(depths, 2, false);
	depths_destroy(depths);
}

/* How much was read of a new thread of process PID. */
static size_t read_of_new(struct depths *depths, uint32_t pid, uint32_t tid)
{
	static uint8_t bytes[DEPTHS_SIZE_MAX], large[2 * DEPTHS_SIZE_MAX];
	struct depths_place place;
	const struct depths_question question = {
		.pid = pid,
		.tid = tid,
		.time = clocks_now(),
		.address = (uint64_t)(uintptr_t)large,
	};
	size_t n = 0, i;

	memset(large, 1, sizeof(large));
	assert_true(depths_ask(depths, &question));
	for (i = 0; !n && i < TRIES; i++)
		n = depths_find(depths, tid, question.time, bytes, &place);
	return n;
}

/* Threads may be gone before their second sample. */
static void new_threads_are_read_as_far_as_others(void **state _unused_)
{
	struct depths *depths = depths_create();
	uint32_t pid = (uint32_t)getpid();
	size_t n;

	assert_no_error(depths_start(depths, 0));
	assert_int_equal(read_of_new(depths, pid, 1), DEPTHS_SIZE_MAX);
	depths_need(depths, pid, 0);
	n = read_of_new(depths, pid, 2);
	assert_in_range(n, 1, KIB(256));
	/* The next sample of a thread that still isn't known. */
	assert_int_equal(read_of_new(depths, pid, 2), 2 * n);
	depths_need(depths, pid, KIB(400));
	assert_in_range(read_of_new(depths, pid, 3), KIB(400), KIB(512));
	depths_need(depths, pid, KIB(200));
	assert_in_range(read_of_new(depths, pid, 4), KIB(400), KIB(512));
	depths_need(depths, pid, 2 * DEPTHS_SIZE_MAX);
	assert_int_equal(read_of_new(depths, pid, 5), DEPTHS_SIZE_MAX);
	depths_destroy(depths);
}

/* Stacks lie side by side; whose they are changes. */
static void what_lies_behind_a_beginning_is_not_asked_for(void **state _unused_)
{
	struct depths *depths = depths_create();
	const uint64_t top = 0x7f0000040ff0, next = top + KIB(256);
	struct depths_question question = { .pid = 7, .tid = TID, .time = 1,
		.start = top - KIB(20), .address = top + KIB(40) };

	assert_false(depths_is_beyond(depths, 7, top - 8, top + 8));
	depths_learn(depths, 7, top);
	depths_learn(depths, 7, next);
	assert_true(depths_is_beyond(depths, 7, top - KIB(64) + 8, top + 8));
	assert_true(depths_is_beyond(depths, 7, top - 8, top + KIB(60)));
	/* Before it, another stack that begins later, and another process. */
	assert_false(depths_is_beyond(depths, 7, top - KIB(64), top));
	assert_false(depths_is_beyond(depths, 7, top + 8, top + KIB(64)));
	assert_false(depths_is_beyond(depths, 8, top - 8, top + 8));
	assert_false(depths_ask(depths, &question));
	question.start = top + 8;
	assert_true(depths_ask(depths, &question));
	/* A larger one has taken its place. */
	depths_doubt(depths, 7, top - KIB(20), top + KIB(40));
	assert_false(depths_is_beyond(depths, 7, top - 8, top + 8));
	assert_true(depths_is_beyond(depths, 7, next - 8, next + 8));
	depths_doubt(depths, 7, top, UINT64_MAX);
	assert_false(depths_is_beyond(depths, 7, next - 8, next + 8));
	depths_destroy(depths);
}

/* No more than up to its beginning, whoever has found that. */
static void a_known_stack_is_read_up_to_its_beginning(void **state _unused_)
{
	static uint8_t bytes[DEPTHS_SIZE_MAX], large[2 * DEPTHS_SIZE_MAX];
	struct depths *depths = depths_create();
	const uint64_t start = (uint64_t)(uintptr_t)large;
	struct depths_question question = { .pid = (uint32_t)getpid(),
		.tid = TID, .time = 1, .address = start };
	struct depths_place place;
	size_t n = 0, i;

	memset(large, 1, sizeof(large));
	depths_learn(depths, question.pid, start + KIB(300));
	assert_no_error(depths_start(depths, 0));
	assert_true(depths_ask(depths, &question));
	for (i = 0; !n && i < TRIES; i++)
		n = depths_find(depths, TID, question.time, bytes, &place);
	assert_in_range(n, KIB(300), KIB(308));
	depths_destroy(depths);
}

/* The thread has returned from there before anybody could read it. */
static void what_was_left_since_is_not_told(void **state _unused_)
{
	const struct depths_question end = question_at(0);
	struct depths *depths = depths_create();
	uint64_t now = clocks_now();

	ask(depths, now - 30);
	ask(depths, now - 20);
	ask(depths, now - 10);
	see(depths, TID, now - 15, end.address + 8);
	see(depths, TID + 1, now, end.address + 8);
	see(depths, TID, now, end.address);
	assert_no_error(depths_start(depths, 0));
	assert_found(depths, now - 10, true);
	assert_found(depths, now - 20, false);
	assert_found(depths, now - 30, false);
	depths_destroy(depths);
}

static void what_was_left_later_is_told(void **state _unused_)
{
	const struct depths_question end = question_at(0);
	struct depths *depths = depths_create();
	uint64_t now = clocks_now();

	ask(depths, now);
	ask(depths, now + 1);
	assert_no_error(depths_start(depths, 0));
	assert_found(depths, now + 1, true);
	see(depths, TID, clocks_now(), end.address + 8);
	assert_found(depths, now, true);
	depths_destroy(depths);
}

/* Only the first sample that comes after the answer tells. */
static void what_a_later_sample_has_is_told(void **state _unused_)
{
	const struct depths_question end = question_at(0);
	struct depths *depths = depths_create();
	uint64_t now = clocks_now(), i;
	uint8_t bytes[DEPTHS_OVERLAP];

	assert_no_error(depths_start(depths, 0));
	for (i = 0; i < 4; i++) {
		ask(depths, now + i);
		assert_found(depths, now + i, true);
	}
	/* The copy begins before what was asked for, in it, and behind it. */
	stack[255] = 0x1234;
	see(depths, TID, clocks_now(), end.address - 128);
	stack[255] = 0x5678;
	see(depths, TID, clocks_now(), end.address - 128);
	assert_int_equal(
		depths_find_later(depths, TID, now, bytes), end.overlap);
	assert_int_equal(bytes[56] | bytes[57] << 8, 0x1234);
	assert_int_equal(depths_find_later(depths, TID, now, bytes), 0);
	ask(depths, now + 5);
	assert_found(depths, now + 5, true);
	see(depths, TID, clocks_now(), end.address - 16);
	assert_int_equal(depths_find_later(depths, TID, now + 5, bytes), 16);
	ask(depths, now + 6);
	assert_found(depths, now + 6, true);
	see(depths, TID, clocks_now(), end.address);
	assert_int_equal(depths_find_later(depths, TID, now + 6, bytes), 0);
	/* No sample has come: it isn't waited for long. */
	ask(depths, now + 7);
	assert_found(depths, now + 7, true);
	assert_int_equal(depths_find_later(depths, TID, now + 7, bytes), 0);
	depths_destroy(depths);
}

static char handlers_stack[KIB(64)];
static struct handled handled;
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
	was_read = handlers_read((const uint8_t *)handlers_stack,
		sizeof(handlers_stack), (uint64_t)(uintptr_t)handlers_stack,
		interrupted_at, &handled);
	has_run = handlers_run(getpid(), gettid(), handled.mask);
}

static void what_a_handler_interrupted_is_known(void **state _unused_)
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
	assert_int_equal(handled.from, interrupted_sp);
	assert_int_equal(handled.mask, 1 << (SIGUSR2 - 1));
	assert_int_equal(handled.end, interrupted_at - start + 16);
	/* The handler was running then, and isn't any more. */
	assert_true(has_run);
	assert_false(handlers_run(getpid(), gettid(), 0));
	assert_false(handlers_run(getpid(), 0, 0));
	/* Where it isn't. */
	assert_false(handlers_read(bytes, sizeof(handlers_stack), start, 0,
		&handled));
	assert_false(handlers_read(bytes, 8, start, start, &handled));
	assert_false(handlers_read(bytes, 0, start, start, &handled));
	other.ss_flags = SS_DISABLE;
	sigaltstack(&other, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_behind_a_copy_is_read),
		cmocka_unit_test(new_threads_are_read_as_far_as_others),
		cmocka_unit_test(what_lies_behind_a_beginning_is_not_asked_for),
		cmocka_unit_test(a_known_stack_is_read_up_to_its_beginning),
		cmocka_unit_test(what_a_handler_interrupted_is_known),
		cmocka_unit_test(what_was_left_since_is_not_told),
		cmocka_unit_test(what_was_left_later_is_told),
		cmocka_unit_test(what_a_later_sample_has_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
