/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of this program, unwound from a copy, compared with glibc's
 * backtrace().
 */
#include "config.h"

#include "common/unwind/unwind.h"

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>

#include "tests/unit/make_stack.h"
#include "tests/unit/testing.h"

#define FRAMES 20000
static struct made_space process;
static struct unwinder *unwinder;

struct result {
	uint64_t pcs[FRAMES], slots[FRAMES];
	struct unwind_chain chain;
	void *truth[FRAMES];
	size_t n_truth;
};
static struct result result;

/* Unwinds from here, and with glibc's backtrace(). */
static _noinline_ void capture(size_t max)
{
	struct made_stack made;
	ucontext_t context;

	result.n_truth = (size_t)backtrace(result.truth, FRAMES);
	assert_int_equal(getcontext(&context), 0);
	made_stack_init(&made, &context, max);
	result.chain = (struct unwind_chain){
		.pcs = result.pcs, .slots = result.slots, .room = FRAMES
	};
	unwind(unwinder, &process.space, &made.registers, &made.memory,
		&result.chain);
	made_stack_deinit(&made);
}

static void assert_equal_chains(void)
{
	size_t i, own = result.n_truth - result.chain.n;

	/* With the address sanitizer, backtrace() has a frame of its own. */
	assert_in_range(own, 0, 1);
	for (i = 1; i < result.chain.n; i++)
		assert_int_equal(result.pcs[i],
			(uint64_t)(uintptr_t)result.truth[i + own]);
	assert_int_equal(result.chain.end, UNWIND_ROOT);
	assert_int_equal(result.chain.n_copied, result.chain.n);
	assert_false(result.chain.is_slow);
}

static void plain_frames_are_unwound_as_by_backtrace(void **state)
{
	(void)state;
	capture(MIB(1));
	assert_equal_chains();
	assert_true(result.chain.n > 3);
}

static volatile size_t sink;

static _noinline_ void recurse(unsigned depth)
{
	volatile char room[16];

	room[0] = (char)depth;
	if (depth)
		recurse(depth - 1);
	else
		capture(MIB(8));
	sink += (size_t)room[0];
}

static void a_recursion_of_10000_frames_is_unwound_completely(void **state)
{
	(void)state;
	recurse(10000);
	assert_equal_chains();
	assert_true(result.chain.n > 10000);
}

static _noinline_ void variable_frame(size_t n)
{
	volatile char *room = __builtin_alloca(n);

	room[n - 1] = 1;
	capture(MIB(1));
	sink += (size_t)room[n - 1];
}

static void frames_of_variable_size_are_unwound(void **state)
{
	(void)state;
	variable_frame(10001);
	assert_equal_chains();
}

/* gcc addresses the realigned stack by another register, clang by rbp. */
static _noinline_ void aligned_frame(size_t n)
{
	volatile char room[256] __attribute__((aligned(64)));
	volatile char *more = __builtin_alloca(n);

	more[0] = room[0] = 1;
	capture(MIB(1));
	sink += (size_t)(room[0] + more[0]);
}

static void frames_that_realign_the_stack_are_unwound(void **state)
{
	(void)state;
	aligned_frame(1001);
	assert_equal_chains();
}

static void handler(int signal)
{
	(void)signal;
	capture(MIB(1));
}

/*
 * Between LEAST and MOST frames come before the frame that is not behind a
 * call.
 */
static void assert_handler(void (*take)(int), size_t least, size_t most)
{
	struct sigaction action = { .sa_handler = take };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	assert_equal_chains();
	assert_int_equal(result.chain.n_exact, 2);
	assert_in_range(result.chain.exact[0], least, most);
	assert_int_equal(result.chain.exact[1], result.chain.exact[0] + 1);
}

static void a_stack_is_unwound_through_a_signal_handler(void **state)
{
	(void)state;
	/* capture() and the handler. */
	assert_handler(handler, 1, 2);
}

static void deep_handler(int signal)
{
	(void)signal;
	recurse(1000);
}

static void a_stack_is_unwound_through_a_handler_with_deep_calls(void **state)
{
	uint32_t next = 0, n = 0;
	size_t i;

	(void)state;
	assert_handler(deep_handler, 1000, 1010);
	for (i = 0; i < result.chain.n; i++)
		n += unwind_is_exact(&result.chain, i, &next);
	assert_int_equal(n, 2);
}

/* The handler runs on a stack of its own, and only that is copied. */
static void handler_elsewhere(int signal)
{
	struct made_stack made;
	ucontext_t context;

	(void)signal;
	getcontext(&context);
	made_stack_init(&made, &context, KIB(16));
	result.chain = (struct unwind_chain){
		.pcs = result.pcs, .slots = result.slots, .room = FRAMES
	};
	unwind(unwinder, &process.space, &made.registers, &made.memory,
		&result.chain);
	made_stack_deinit(&made);
}

static void unwinding_ends_at_a_signal_handler_on_another_stack(void **state)
{
	static char room[KIB(128)];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction action = { .sa_handler = handler_elsewhere,
		.sa_flags = SA_ONSTACK };
	uint64_t sp;

	(void)state;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	assert_int_equal(result.chain.end, UNWIND_ELSEWHERE);
	assert_in_range(result.chain.interrupted_at, (uint64_t)(uintptr_t)room,
		(uint64_t)(uintptr_t)room + sizeof(room));
	memcpy(&sp, (void *)(uintptr_t)result.chain.interrupted_at, sizeof(sp));
	assert_true(sp < (uint64_t)(uintptr_t)&sp + KIB(4));
	assert_true(sp > (uint64_t)(uintptr_t)&sp - KIB(64));
}

static ucontext_t main_context, other_context;

static void coroutine(void)
{
	capture(KIB(64));
}

static void the_stack_of_a_coroutine_is_unwound(void **state)
{
	char *stack = xmalloc(KIB(256));

	(void)state;
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = KIB(256);
	other_context.uc_link = &main_context;
	makecontext(&other_context, coroutine, 0);
	swapcontext(&main_context, &other_context);
	assert_equal_chains();
	free(stack);
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	capture(MIB(1));
	return 0;
}

static void a_stack_is_unwound_through_functions_of_libc(void **state)
{
	int two[2] = { 1, 2 };

	(void)state;
	qsort(two, 2, sizeof(int), compare);
	assert_equal_chains();
}

static void unwinding_a_short_stack_copy_ends_as_truncated(void **state)
{
	(void)state;
	capture(64);
	assert_int_equal(result.chain.end, UNWIND_TRUNCATED);
	assert_in_range(result.chain.n, 1, result.n_truth - 1);
	assert_int_equal(
		result.chain.oldest.pc, result.pcs[result.chain.n - 1]);
}

static bool read_self(void *data, uint64_t address, uint64_t *ret)
{
	(void)data;
	memcpy(ret, (void *)(uintptr_t)address, sizeof(*ret));
	return true;
}

static void unwinding_reads_memory_outside_of_the_stack_copy(void **state)
{
	struct made_stack made;
	ucontext_t context;

	(void)state;
	capture(MIB(1));
	getcontext(&context);
	made_stack_init(&made, &context, 64);
	made.memory.read = read_self;
	unwind(unwinder, &process.space, &made.registers, &made.memory,
		&result.chain);
	assert_int_equal(result.chain.end, UNWIND_ROOT);
	assert_true(result.chain.n_copied < result.chain.n);
	made_stack_deinit(&made);
}

static void the_room_of_the_chain_limits_the_frames(void **state)
{
	struct made_stack made;
	ucontext_t context;

	(void)state;
	getcontext(&context);
	made_stack_init(&made, &context, MIB(1));
	result.chain.room = 2;
	unwind(unwinder, &process.space, &made.registers, &made.memory,
		&result.chain);
	assert_int_equal(result.chain.end, UNWIND_LIMIT);
	assert_int_equal(result.chain.n, 2);
	made_stack_deinit(&made);
}

static void an_unmapped_pc_is_the_only_frame(void **state)
{
	struct made_stack made;
	ucontext_t context;

	(void)state;
	getcontext(&context);
	made_stack_init(&made, &context, MIB(1));
	made.registers.pc = 16;
	unwind(unwinder, &process.space, &made.registers, &made.memory,
		&result.chain);
	assert_int_equal(result.chain.end, UNWIND_NO_CODE);
	assert_int_equal(result.chain.n, 1);
	made_stack_deinit(&made);
}

static int set_up(void **state)
{
	(void)state;
	made_space_init(&process);
	unwinder = unwinder_create(made_arch());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unwinder_destroy(unwinder);
	made_space_deinit(&process);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_frames_are_unwound_as_by_backtrace),
		cmocka_unit_test(
			a_recursion_of_10000_frames_is_unwound_completely),
		cmocka_unit_test(frames_of_variable_size_are_unwound),
		cmocka_unit_test(frames_that_realign_the_stack_are_unwound),
		cmocka_unit_test(a_stack_is_unwound_through_a_signal_handler),
		cmocka_unit_test(
			a_stack_is_unwound_through_a_handler_with_deep_calls),
		cmocka_unit_test(
			unwinding_ends_at_a_signal_handler_on_another_stack),
		cmocka_unit_test(the_stack_of_a_coroutine_is_unwound),
		cmocka_unit_test(a_stack_is_unwound_through_functions_of_libc),
		cmocka_unit_test(
			unwinding_a_short_stack_copy_ends_as_truncated),
		cmocka_unit_test(
			unwinding_reads_memory_outside_of_the_stack_copy),
		cmocka_unit_test(the_room_of_the_chain_limits_the_frames),
		cmocka_unit_test(an_unmapped_pc_is_the_only_frame),
	};

	if (made_arch() == UNWIND_NONE) {
		print_message("1..0 # SKIP needs known-processor\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
