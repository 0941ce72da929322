/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests frames of a language runtime, on a stack that the test makes. */
#include "config.h"

#include "common/unwind/unwind.h"

#include "tests/unit/testing.h"

#define CODE 0x1000u
#define STACK 0x7000u
#define ROOM 16u

/*
 * .words is the stack. A frame has two words: the pc of the caller, and an unused one.
 */
struct fixture {
	struct unwinder *unwinder;
	uint64_t words[8];
	uint64_t pcs[ROOM], slots[ROOM];
	size_t room;
	enum runtime_result result;
	size_t n_functions;
};

static bool find_made_code(void *data, uint64_t pc, struct unwind_code *ret)
{
	(void)data;
	if (pc < CODE || pc >= 2 * CODE)
		return false;
	*ret = (struct unwind_code){ .start = CODE, .end = 2 * CODE };
	return true;
}

/* A frame with the pc CODE + 0x10 * i has the functions 100 * i, 100 * i + 1, ... */
static enum runtime_result step_made_frame(
	void *data, const struct runtime_frame *frame, struct runtime_step *ret)
{
	struct fixture *f = data;
	size_t i;

	assert_int_equal(frame->registers != NULL, frame->sp == STACK);
	assert_int_equal(frame->is_exact, frame->sp == STACK);
	ret->n = f->n_functions;
	for (i = 0; i < ret->n; i++)
		ret->functions[i] = (frame->pc - CODE) / 0x10 * 100 + i;
	if (!runtime_load(frame, frame->sp, &ret->caller.pc))
		return RUNTIME_REJECTED;
	ret->slot = frame->sp;
	ret->caller.sp = frame->sp + 16;
	ret->caller.fp = 0;
	return f->result;
}

static struct unwind_chain unwind_made(struct fixture *f, size_t n_words)
{
	const struct unwind_space space = { .id = 1,
		.find = find_made_code,
		.runtime = step_made_frame,
		.data = f };
	const struct unwind_memory memory = { .start = STACK,
		.bytes = (const uint8_t *)f->words,
		.size = n_words * sizeof(f->words[0]) };
	struct unwind_registers registers = { .known = 0xffff,
		.pc = CODE + 0x10 };
	struct unwind_chain chain = {
		.pcs = f->pcs, .slots = f->slots, .room = f->room
	};

	registers.value[unwind_numbers[UNWIND_X86_64].sp] = STACK;
	unwind(f->unwinder, &space, &registers, &memory, &chain);
	return chain;
}

static int set_up(void **state)
{
	static struct fixture f;

	f = (struct fixture){ .words = { CODE + 0x20, 0, CODE + 0x30, 0, 0 },
		.room = ROOM,
		.result = RUNTIME_STEPPED,
		.n_functions = 1 };
	f.unwinder = unwinder_create(UNWIND_X86_64);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unwinder_destroy(f->unwinder);
	return 0;
}

static void functions_of_the_runtime_replace_pcs_in_the_chain(void **state)
{
	struct fixture *f = *state;
	struct unwind_chain chain = unwind_made(f, 8);

	assert_int_equal(chain.n, 3);
	assert_int_equal(f->pcs[0], 100);
	assert_int_equal(f->pcs[1], 200);
	assert_int_equal(f->pcs[2], 300);
	assert_int_equal(f->slots[1], STACK);
	assert_int_equal(f->slots[2], STACK + 16);
}

static void inlined_functions_of_a_runtime_frame_come_first(void **state)
{
	struct fixture *f = *state;
	struct unwind_chain chain;

	f->n_functions = 3;
	chain = unwind_made(f, 8);
	assert_int_equal(chain.n, 9);
	assert_int_equal(f->pcs[2], 102);
	assert_int_equal(f->pcs[3], 200);
	assert_int_equal(f->pcs[8], 302);
	assert_int_equal(f->slots[3], f->slots[5]);
}

static void runtime_frames_without_functions_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct unwind_chain chain;

	f->n_functions = 0;
	chain = unwind_made(f, 8);
	/* The sampled pc remains in the chain. */
	assert_int_equal(chain.n, 1);
	assert_int_equal(chain.n_copied, 1);
	assert_int_equal(f->pcs[0], CODE + 0x10);
}

static void a_frame_that_the_runtime_rejects_ends_the_chain(void **state)
{
	struct fixture *f = *state;
	struct unwind_chain chain;

	f->result = RUNTIME_REJECTED;
	chain = unwind_made(f, 8);
	assert_int_equal(chain.n, 1);
	assert_int_equal(f->pcs[0], CODE + 0x10);
	assert_int_equal(chain.end, UNWIND_NO_RULE);
}

static void a_runtime_frame_beyond_the_stack_copy_ends_as_truncated(
	void **state)
{
	struct unwind_chain chain = unwind_made(*state, 2);

	assert_int_equal(chain.n, 2);
	assert_int_equal(chain.end, UNWIND_TRUNCATED);
}

static void a_chain_filled_by_runtime_functions_ends_at_its_limit(void **state)
{
	struct fixture *f = *state;
	struct unwind_chain chain;

	f->n_functions = 3;
	f->room = 4;
	chain = unwind_made(f, 8);
	assert_int_equal(chain.n, 4);
	assert_int_equal(f->pcs[3], 200);
	assert_int_equal(chain.end, UNWIND_LIMIT);
}

#define RUNTIME_TEST(name) \
	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUNTIME_TEST(functions_of_the_runtime_replace_pcs_in_the_chain),
		RUNTIME_TEST(inlined_functions_of_a_runtime_frame_come_first),
		RUNTIME_TEST(runtime_frames_without_functions_are_left_out),
		RUNTIME_TEST(a_frame_that_the_runtime_rejects_ends_the_chain),
		RUNTIME_TEST(
			a_runtime_frame_beyond_the_stack_copy_ends_as_truncated),
		RUNTIME_TEST(
			a_chain_filled_by_runtime_functions_ends_at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
