/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames reused from a thread's last stack must be equal to unwound frames. */
#include "config.h"

#include "common/unwind/unwind.h"

#include <ucontext.h>

#include "common/util/alloc.h"
#include "tests/unit/make_stack.h"
#include "tests/unit/testing.h"

#define FRAMES 512u
#define DEPTH 12u
static struct made_space process;
static struct made_stack made; /* below DEPTH calls */
static struct unwinder *unwinder;

struct walked {
	uint64_t pcs[FRAMES], slots[FRAMES];
	struct unwind_chain chain;
};
static struct walked whole;

static uint64_t n_reused(void)
{
	return unwinder_counts(unwinder)->n_reused;
}

static void walk(const struct unwind_memory *memory, uint32_t thread,
	size_t room, struct walked *ret)
{
	struct unwind_registers registers = made.registers;
	struct unwind_memory of = *memory;

	of.thread = thread;
	registers.value[unwind_numbers[made_arch()].sp] = of.start;
	ret->chain = (struct unwind_chain){
		.pcs = ret->pcs, .slots = ret->slots, .room = room
	};
	unwind(unwinder, &process.space, &registers, &of, &ret->chain);
}

static bool is_same(const struct unwind_chain *a, const struct unwind_chain *b)
{
	return a->n == b->n && a->end == b->end &&
		!memcmp(a->pcs, b->pcs, a->n * sizeof(*a->pcs)) &&
		!memcmp(a->slots, b->slots, a->n * sizeof(*a->slots));
}

/*
 * Unwinds with and without the last stack. Returns true if the chain is
 * complete.
 */
static bool compare(const struct unwind_memory *memory, size_t room)
{
	static struct walked with, without;

	walk(memory, 1, room, &with);
	walk(memory, 0, room, &without);
	assert_true(is_same(&with.chain, &without.chain));
	assert_int_equal(with.chain.n_copied, without.chain.n_copied);
	assert_int_equal(with.chain.oldest.pc, without.chain.oldest.pc);
	assert_int_equal(with.chain.oldest.sp, without.chain.oldest.sp);
	assert_int_equal(with.chain.oldest.fp, without.chain.oldest.fp);
	return is_same(&with.chain, &whole.chain);
}

static uint64_t *word_at(uint64_t address)
{
	return (uint64_t *)(uintptr_t)(made.memory.bytes +
		(address - made.memory.start));
}

static void frames_of_an_unchanged_stack_are_reused(void **state)
{
	uint64_t before;

	(void)state;
	assert_true(compare(&made.memory, FRAMES));
	before = n_reused();
	assert_true(compare(&made.memory, FRAMES));
	/* The last frame is unwound again, to find the end. */
	assert_in_range(n_reused() - before, DEPTH, whole.chain.n - 2);
}

static void frames_of_a_stack_without_a_thread_are_not_reused(void **state)
{
	struct walked walked;
	uint64_t before = n_reused();

	(void)state;
	walk(&made.memory, 0, FRAMES, &walked);
	walk(&made.memory, 0, FRAMES, &walked);
	assert_int_equal(n_reused(), before);
}

static void frames_of_another_address_space_are_not_reused(void **state)
{
	struct walked walked;
	uint64_t before;

	(void)state;
	compare(&made.memory, FRAMES);
	before = n_reused();
	process.space.id++;
	walk(&made.memory, 1, FRAMES, &walked);
	process.space.id--;
	assert_int_equal(n_reused(), before);
	assert_true(is_same(&walked.chain, &whole.chain));
}

/* Changes each word; only addresses and saved registers matter. */
static void frames_are_unwound_again_if_a_word_of_the_stack_changed(
	void **state)
{
	uint64_t end = whole.slots[whole.chain.n - 1] + 64, at;
	unsigned n_changed = 0;

	(void)state;
	for (at = made.memory.start; at < end; at += 8) {
		uint64_t *word = word_at(at), kept = *word;

		assert_true(compare(&made.memory, FRAMES));
		*word = kept + 16;
		n_changed += !compare(&made.memory, FRAMES);
		*word = kept;
		/* The frames above are as in the last stack but one. */
		assert_true(compare(&made.memory, FRAMES));
	}
	/* The frames of call(): a return address and a frame pointer each. */
	assert_in_range(n_changed, 2 * DEPTH, 1000);
}

/* Another call left a return address at the same place. */
static void frames_are_unwound_again_if_a_return_address_changed(void **state)
{
	size_t i;

	(void)state;
	for (i = 1; i < whole.chain.n; i++) {
		uint64_t *word = word_at(whole.slots[i]), kept = *word;

		assert_true(compare(&made.memory, FRAMES));
		*word = whole.pcs[i % 2 ? 1 : whole.chain.n - 1];
		if (*word != kept)
			assert_false(compare(&made.memory, FRAMES));
		*word = kept;
	}
}

static void reused_frames_are_correct_for_stack_copies_of_any_size(void **state)
{
	size_t end = whole.slots[whole.chain.n - 1] + 64 - made.memory.start;
	size_t i;

	(void)state;
	for (i = 0; i < end; i += 20) {
		struct unwind_memory memory = made.memory;

		memory.size = i;
		compare(&memory, FRAMES);
		compare(&memory, FRAMES);
		memory.size = end - i;
		compare(&memory, FRAMES);
	}
}

static bool read_self(void *data, uint64_t address, uint64_t *ret)
{
	(void)data;
	*ret = *word_at(address);
	return true;
}

static void frames_read_outside_of_the_stack_copy_are_not_reused(void **state)
{
	struct unwind_memory memory = made.memory;
	uint64_t last = whole.slots[whole.chain.n - 2];
	uint64_t *word = word_at(last), kept = *word;

	(void)state;
	memory.size = whole.slots[4] - memory.start;
	memory.read = read_self;
	assert_true(compare(&memory, FRAMES));
	assert_true(compare(&memory, FRAMES));
	*word = kept + 16;
	assert_false(compare(&memory, FRAMES));
	*word = kept;
}

static void the_room_of_the_chain_limits_reused_frames(void **state)
{
	size_t room;

	(void)state;
	for (room = 1; room <= whole.chain.n + 1; room++) {
		compare(&made.memory, FRAMES);
		assert_int_equal(
			compare(&made.memory, room), room >= whole.chain.n);
	}
}

/* Two threads with stacks of different size or content. */
static void stacks_unwound_at_once_equal_stacks_unwound_alone(void **state)
{
	static struct walked walked[UNWIND_TASKS_MAX], alone;
	struct unwind_memory memories[UNWIND_TASKS_MAX];
	struct unwind_task tasks[UNWIND_TASKS_MAX];
	unsigned i, n_whole = 0;

	(void)state;
	for (i = 0; i < UNWIND_TASKS_MAX; i++) {
		size_t at = whole.slots[i + 1] - made.memory.start;
		uint8_t *bytes = xmemdup(made.memory.bytes, made.memory.size);

		bytes[at] = (uint8_t)(bytes[at] + (i < 4 ? 16 : 0));
		memories[i] = made.memory;
		memories[i].bytes = bytes;
		memories[i].size = i == 7 ? at : made.memory.size;
		memories[i].thread = 1 + i % 2;
		walked[i].chain = (struct unwind_chain){ .pcs = walked[i].pcs,
			.slots = walked[i].slots,
			.room = FRAMES };
		tasks[i] = (struct unwind_task){ &process.space,
			&made.registers, &memories[i], &walked[i].chain };
	}
	compare(&made.memory, FRAMES);
	unwind_several(unwinder, tasks, UNWIND_TASKS_MAX);
	for (i = 0; i < UNWIND_TASKS_MAX; i++) {
		walk(&memories[i], 0, FRAMES, &alone);
		assert_true(is_same(&walked[i].chain, &alone.chain));
		n_whole += is_same(&walked[i].chain, &whole.chain);
		free((void *)(uintptr_t)memories[i].bytes);
	}
	assert_int_equal(n_whole, 3);
	assert_true(compare(&made.memory, FRAMES));
}

static volatile size_t sink;

static void call(unsigned depth);

/* Leaves the frame pointer unchanged, if the compiler does. */
static _noinline_ void call_plainly(unsigned depth)
{
	call(depth);
	sink++;
}

/* The frame is found by a value on the stack itself. */
static _noinline_ void call_aligned(unsigned depth)
{
	volatile char room[128] __attribute__((aligned(64)));
	volatile char *more = __builtin_alloca(depth * 16 + 16);

	more[0] = room[0] = (char)depth;
	call_plainly(depth);
	sink += (size_t)(room[0] + more[0]);
}

/* The frame has no constant size: rules need the frame pointer. */
static _noinline_ void call(unsigned depth)
{
	volatile char *room = __builtin_alloca(depth * 16 + 16);
	ucontext_t context;

	room[0] = (char)depth;
	if (depth % 4 == 1) {
		call_aligned(depth - 1);
	} else if (depth) {
		call_plainly(depth - 1);
	} else {
		assert_int_equal(getcontext(&context), 0);
		made_stack_init(&made, &context, KIB(256));
	}
	sink += (size_t)room[0];
}

static int set_up(void **state)
{
	(void)state;
	made_space_init(&process);
	unwinder = unwinder_create(made_arch());
	call(DEPTH);
	walk(&made.memory, 0, FRAMES, &whole);
	return whole.chain.end == UNWIND_ROOT ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	made_stack_deinit(&made);
	unwinder_destroy(unwinder);
	made_space_deinit(&process);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_an_unchanged_stack_are_reused),
		cmocka_unit_test(
			frames_of_a_stack_without_a_thread_are_not_reused),
		cmocka_unit_test(
			frames_of_another_address_space_are_not_reused),
		cmocka_unit_test(
			frames_are_unwound_again_if_a_word_of_the_stack_changed),
		cmocka_unit_test(
			frames_are_unwound_again_if_a_return_address_changed),
		cmocka_unit_test(
			reused_frames_are_correct_for_stack_copies_of_any_size),
		cmocka_unit_test(
			frames_read_outside_of_the_stack_copy_are_not_reused),
		cmocka_unit_test(the_room_of_the_chain_limits_reused_frames),
		cmocka_unit_test(
			stacks_unwound_at_once_equal_stacks_unwound_alone),
	};

	if (made_arch() == UNWIND_NONE) {
		print_message("1..0 # SKIP needs known-processor\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
