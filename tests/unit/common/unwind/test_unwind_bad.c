/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged rules, stacks and registers: each walk must end. */
#include "config.h"

#include "common/unwind/unwind.h"

#include "common/util/alloc.h"
#include "tests/unit/make_cfi.h"
#include "tests/unit/testing.h"

#define CODE UINT64_C(0x1000)
#define CALLER UINT64_C(0x2010) /* in a function with plain rules */
#define ROOM 100u

#define RBX 3
#define RBP 6
#define RSP 7

/*
 * One function at CODE with a given CFI program, and a plain function at
 * CALLER.
 */
struct bad {
	struct made_cfi made;
	struct cfi *cfi;
	struct unwinder *unwinder;
	struct unwind_registers registers;
	uint64_t stack[64];
	uint64_t pcs[ROOM];
	struct unwind_chain chain;
};

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct bad *bad = data;

	*ret = (struct unwind_code){
		.start = CODE, .end = MADE_CODE_END, .cfi = bad->cfi
	};
	return pc >= ret->start && pc < ret->end;
}

/* Returns the address of word I of the stack. */
static uint64_t word_at(const struct bad *bad, size_t i)
{
	return (uint64_t)(uintptr_t)&bad->stack[i];
}

static struct bad *make(const void *program, size_t n)
{
	struct bad *bad = xcalloc(1, sizeof(*bad));

	made_cie(&bad->made, "zR", 16, made_x86_start, sizeof(made_x86_start));
	made_fde(&bad->made, CODE, 0x100, program, n);
	MADE_FDE(&bad->made, 0x2000, 0x100, 0x0e, 16);
	bad->cfi = made_cfi(&bad->made, UNWIND_X86_64);
	bad->unwinder = unwinder_create(UNWIND_X86_64);
	bad->registers.known = 0xffff;
	bad->registers.pc = CODE;
	bad->registers.value[RSP] = bad->registers.value[RBP] = word_at(bad, 0);
	return bad;
}

#define MAKE(...)                              \
	make((const uint8_t[]){ __VA_ARGS__ }, \
		sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Walks and frees BAD. Returns the end; N_RET is the number of frames. */
static enum unwind_end walk(struct bad *bad, size_t *n_ret)
{
	static uint64_t n_spaces;
	const struct unwind_space space = { ++n_spaces, find, bad };
	const struct unwind_memory memory = { .start = word_at(bad, 0),
		.bytes = (const uint8_t *)bad->stack,
		.size = sizeof(bad->stack) };
	enum unwind_end end;

	bad->chain.pcs = bad->pcs;
	bad->chain.room = ROOM;
	unwind(bad->unwinder, &space, &bad->registers, &memory, &bad->chain);
	assert_int_equal(bad->pcs[0], bad->registers.pc);
	assert_in_range(bad->chain.n, 1, ROOM);
	end = bad->chain.end;
	*n_ret = bad->chain.n;
	unwinder_destroy(bad->unwinder);
	cfi_destroy(bad->cfi);
	free(bad);
	return end;
}

static void unwinding_ends_if_rules_form_a_cycle(void **state _unused_)
{
	/* CFA = rbp + 16, and rbp is saved where it points: at itself. */
	struct bad *bad = MAKE(0x0c, RBP, 16, 0x86, 2);
	size_t n;

	bad->stack[0] = word_at(bad, 0);
	bad->stack[1] = CODE + 1;
	assert_int_equal(walk(bad, &n), UNWIND_DAMAGED);
	assert_int_equal(n, 2);
	/* Downwards. */
	bad = MAKE(0x0c, RBP, 16, 0x86, 2);
	bad->stack[2] = word_at(bad, 0);
	bad->stack[3] = CODE + 1;
	bad->registers.value[RBP] = word_at(bad, 2);
	assert_int_equal(walk(bad, &n), UNWIND_DAMAGED);
	assert_int_equal(n, 2);
}

static void unwinding_ends_at_a_cfa_below_the_stack_pointer(
	void **state _unused_)
{
	/* DW_CFA_def_cfa_sf: rsp - 8 * 8. */
	size_t n;

	assert_int_equal(walk(MAKE(0x12, RSP, 8), &n), UNWIND_DAMAGED);
	assert_int_equal(n, 1);
	/* CFA = rsp: a call would have pushed its return address there. */
	assert_int_equal(walk(MAKE(0x0c, RSP, 0), &n), UNWIND_DAMAGED);
}

static void unwinding_ends_at_a_huge_cfa_offset(void **state _unused_)
{
	size_t n;

	/* Behind the copy: 4 KiB, the limit, and 2 GiB. */
	assert_int_equal(walk(MAKE(0x0e, 0x80, 0x20), &n), UNWIND_TRUNCATED);
	assert_int_equal(walk(MAKE(0x0e, 0x80, 0x80, 0x80, 0x80, 0x04), &n),
		UNWIND_DAMAGED);
	/* The offset has too many bits: there is no row. */
	assert_int_equal(walk(MAKE(0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				      0xff, 0xff, 0x7f),
				 &n),
		UNWIND_NO_RULE);
	assert_int_equal(n, 1);
}

/* Code without CFI; rbp points to an unused word. */
static void a_frame_pointer_of_0_is_a_root_only_after_a_followed_one(
	void **state _unused_)
{
	struct bad *bad = MAKE(0x0e, 8);
	size_t n;

	bad->registers.pc = 0x5000;
	assert_int_equal(walk(bad, &n), UNWIND_NO_RULE);
	assert_int_equal(n, 1);
	/*
	 * After a frame pointer was followed, 0 is the root: here after two
	 * frames.
	 */
	bad = MAKE(0x0e, 8);
	bad->registers.pc = 0x5000;
	bad->stack[0] = word_at(bad, 10);
	bad->stack[1] = 0x6000;
	assert_int_equal(walk(bad, &n), UNWIND_ROOT);
	assert_int_equal(n, 2);
	/* Not with a valid frame pointer: then only the return address is 0. */
	bad = MAKE(0x0e, 8);
	bad->registers.pc = 0x5000;
	bad->stack[0] = word_at(bad, 10);
	bad->stack[1] = 0x6000;
	bad->stack[10] = word_at(bad, 12);
	assert_int_equal(walk(bad, &n), UNWIND_ZERO);
	assert_int_equal(n, 2);
}

static void a_return_address_of_0_does_not_complete_a_stack(
	void **state _unused_)
{
	struct bad *bad = MAKE(0x0e, 16);
	size_t n;

	assert_int_equal(walk(bad, &n), UNWIND_ZERO);
	assert_int_equal(n, 1);
	/* In the caller; and in an interpreted rule: CFA = rsp + 16. */
	bad = MAKE(0x0e, 16);
	bad->stack[1] = CALLER;
	assert_int_equal(walk(bad, &n), UNWIND_ZERO);
	assert_int_equal(n, 2);
	assert_int_equal(walk(MAKE(0x0f, 2, 0x77, 16), &n), UNWIND_ZERO);
	assert_int_equal(n, 1);
	/*
	 * As in Go: behind the first byte of a function, where no call can end.
	 */
	bad = MAKE(0x0e, 16);
	bad->stack[1] = 0x2001;
	assert_int_equal(walk(bad, &n), UNWIND_ROOT);
	assert_int_equal(n, 2);
	/* DW_CFA_undefined of rip marks the root. */
	assert_int_equal(walk(MAKE(0x07, 16), &n), UNWIND_ROOT);
	assert_int_equal(n, 1);
}

static void unwinding_ends_at_a_return_address_outside_of_code(
	void **state _unused_)
{
	struct bad *bad = MAKE(0x0e, 16);
	size_t n;

	bad->stack[1] = UINT64_C(0x123456789abcdef0);
	assert_int_equal(walk(bad, &n), UNWIND_NO_CODE);
	assert_int_equal(n, 1);
	bad = MAKE(0x0e, 16);
	bad->stack[1] = UINT64_MAX;
	assert_int_equal(walk(bad, &n), UNWIND_NO_CODE);
	/* A return address into code may be wrong: the walk continues there. */
	bad = MAKE(0x0e, 16);
	bad->stack[1] = CALLER;
	bad->stack[3] = MADE_CODE_END;
	assert_int_equal(walk(bad, &n), UNWIND_NO_RULE);
	assert_int_equal(n, 3);
}

static void unwinding_ends_if_a_rule_needs_an_unknown_register(
	void **state _unused_)
{
	/* not a multiple of words: interpreted */
	struct bad *bad = MAKE(0x0c, RBX, 3);
	size_t n;

	bad->registers.known &= ~(UINT64_C(1) << RBX);
	assert_int_equal(walk(bad, &n), UNWIND_REGISTER);
	bad = MAKE(0x0c, RBX, 16); /* packed */
	bad->registers.known &= ~(UINT64_C(1) << RBX);
	assert_int_equal(walk(bad, &n), UNWIND_REGISTER);
	bad = MAKE(0x0c, RBP, 16);
	bad->registers.known &= ~(UINT64_C(1) << RBP);
	assert_int_equal(walk(bad, &n), UNWIND_REGISTER);
	/* There is no such register. */
	assert_int_equal(walk(MAKE(0x0c, 0x7f, 16), &n), UNWIND_REGISTER);
	/* rax is not preserved by default, so it is unknown in the caller. */
	bad = MAKE(0x0e, 16);
	made_fde(&bad->made, 0x3000, 0x100, (const uint8_t[]){ 0x0c, 0, 8 }, 3);
	cfi_destroy(bad->cfi);
	bad->cfi = made_cfi(&bad->made, UNWIND_X86_64);
	bad->stack[1] = 0x3010;
	assert_int_equal(walk(bad, &n), UNWIND_REGISTER);
	assert_int_equal(n, 2);
}

static void unwinding_ends_at_an_endless_or_invalid_expression(
	void **state _unused_)
{
	size_t n;

	/* DW_OP_skip -3: itself. */
	assert_int_equal(
		walk(MAKE(0x0f, 3, 0x2f, 0xfd, 0xff), &n), UNWIND_REGISTER);
	/* Pushes forever; then reads a missing value; then divides by 0. */
	assert_int_equal(walk(MAKE(0x0f, 4, 0x30, 0x2f, 0xfc, 0xff), &n),
		UNWIND_REGISTER);
	assert_int_equal(walk(MAKE(0x0f, 1, 0x22), &n), UNWIND_REGISTER);
	assert_int_equal(
		walk(MAKE(0x0f, 3, 0x31, 0x30, 0x1b), &n), UNWIND_REGISTER);
	/* Jumps out of the expression. */
	assert_int_equal(
		walk(MAKE(0x0f, 3, 0x2f, 0xff, 0x7f), &n), UNWIND_REGISTER);
	/* Reads memory that does not exist. */
	assert_int_equal(walk(MAKE(0x0f, 2, 0x30, 0x06), &n), UNWIND_DAMAGED);
}

static void unwinding_ends_if_signal_frames_form_a_cycle(void **state _unused_)
{
	struct bad *bad;
	size_t n;

	bad = xcalloc(1, sizeof(*bad));
	/* As in libc: CFA, rip and rbp relative to rsp. */
	made_cie(&bad->made, "zRS", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&bad->made, CODE, 0x100, 0x0f, 4, 0x77, 0xa0, 0x01, 0x06, 0x10,
		16, 3, 0x77, 0xa8, 0x01, 0x10, 6, 3, 0x77, 0xf8, 0x00);
	bad->cfi = made_cfi(&bad->made, UNWIND_X86_64);
	assert_int_equal(cfi_rule(bad->cfi, CODE), CFI_SIGNAL);
	bad->unwinder = unwinder_create(UNWIND_X86_64);
	bad->registers.known = 0xffff;
	bad->registers.pc = CODE;
	bad->registers.value[RSP] = word_at(bad, 0);
	/* The interrupted stack is the same. */
	bad->stack[160 / 8] = word_at(bad, 0);
	bad->stack[168 / 8] = CODE;
	assert_int_equal(walk(bad, &n), UNWIND_LIMIT);
	assert_int_equal(n, ROOM);
}

static void unwinding_a_stack_full_of_return_addresses_ends(
	void **state _unused_)
{
	/* rsp + 8, with a return address in the same function. */
	struct bad *bad = MAKE(0x0e, 8);
	size_t n, i;

	for (i = 0; i < ARRAY_SIZE(bad->stack); i++)
		bad->stack[i] = CODE + 1;
	assert_int_equal(walk(bad, &n), UNWIND_TRUNCATED);
	assert_int_equal(n, ARRAY_SIZE(bad->stack) + 1);
}

static void unwinding_ends_at_the_end_of_the_address_space(
	void **state _unused_)
{
	struct bad *bad = MAKE(0x0e, 16);
	const struct unwind_space space = { UINT64_MAX, find, bad };
	struct unwind_memory memory = { .start = UINT64_MAX - 15,
		.bytes = (const uint8_t *)bad->stack,
		.size = 16 };

	bad->chain.pcs = bad->pcs;
	bad->chain.room = ROOM;
	bad->registers.value[RSP] = memory.start;
	bad->stack[1] = CALLER;
	unwind(bad->unwinder, &space, &bad->registers, &memory, &bad->chain);
	assert_in_range(bad->chain.n, 1, 2);
	assert_int_not_equal(bad->chain.end, UNWIND_ROOT);
	unwinder_destroy(bad->unwinder);
	cfi_destroy(bad->cfi);
	free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unwinding_ends_if_rules_form_a_cycle),
		cmocka_unit_test(
			unwinding_ends_at_a_cfa_below_the_stack_pointer),
		cmocka_unit_test(unwinding_ends_at_a_huge_cfa_offset),
		cmocka_unit_test(
			a_frame_pointer_of_0_is_a_root_only_after_a_followed_one),
		cmocka_unit_test(
			a_return_address_of_0_does_not_complete_a_stack),
		cmocka_unit_test(
			unwinding_ends_at_a_return_address_outside_of_code),
		cmocka_unit_test(
			unwinding_ends_if_a_rule_needs_an_unknown_register),
		cmocka_unit_test(
			unwinding_ends_at_an_endless_or_invalid_expression),
		cmocka_unit_test(unwinding_ends_if_signal_frames_form_a_cycle),
		cmocka_unit_test(
			unwinding_a_stack_full_of_return_addresses_ends),
		cmocka_unit_test(
			unwinding_ends_at_the_end_of_the_address_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
