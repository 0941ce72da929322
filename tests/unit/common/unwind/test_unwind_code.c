/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of code without rules, by the instructions. All code is at CODE. Its
 * callers are behind the call, or behind the jump, at the places below.
 */
#include "config.h"

#include "common/unwind/unwind.h"

#include "tests/unit/make_cfi.h"
#include "tests/unit/testing.h"

#define CODE UINT64_C(0x10000)
#define CODE_SIZE 0x200u
/* call %rcx; the address behind it is a return address */
#define CALL (CODE + 0x180)
#define CALLED (CALL + 2)
#define JUMP (CODE + 0x190) /* jmp *(%r10,%rbx,8), as in an interpreter */
#define JUMPED (JUMP + 4)
#define BEGIN (CODE + 0x1a0) /* outermost function, which calls */
#define BEGUN (BEGIN + 2)
#define DIRECT (CODE + 0x1b0) /* call CODE + 1 */
#define DIRECTED (DIRECT + 5)
#define PUT (CODE + 0x10) /* as makecontext() puts it: no call is before it */
#define START (CODE + 0x1d0) /* musl's start of a thread */
#define STARTED (START + 6)
#define STACK UINT64_C(0x7f000000)
#define FP UINT64_C(0x7f000040)
#define SP_NUMBER 7
#define FP_NUMBER 6

struct made_code {
	uint8_t bytes[CODE_SIZE];
	uint64_t stack[32];
	bool has_code;
	struct cfi *cfi;  /* NULL: no rules */
	uint64_t unknown; /* registers */
	enum unwind_end end;
	size_t n; /* frames */
};

static bool find(void *data, uint64_t pc, struct unwind_code *ret)
{
	const struct made_code *made = data;

	*ret = (struct unwind_code){
		.start = CODE, .end = CODE + CODE_SIZE, .cfi = made->cfi
	};
	return pc >= ret->start && pc < ret->end;
}

static size_t read_code(
	void *data, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct made_code *made = data;
	uint64_t at = address - CODE;

	if (at >= CODE_SIZE || !made->has_code)
		return 0;
	size = MIN(size, CODE_SIZE - at);
	memcpy(bytes, made->bytes + at, size);
	return size;
}

static void make(struct made_code *made, const char *bytes, size_t n)
{
	size_t i;

	memset(made, 0, sizeof(*made));
	memset(made->bytes, 0x90, sizeof(made->bytes));
	memcpy(made->bytes + 1, bytes, n);
	memcpy(made->bytes + (CALL - CODE), "\xff\xd1", 2);
	memcpy(made->bytes + (JUMP - CODE), "\x41\xff\x24\xda", 4);
	memcpy(made->bytes + (BEGIN - CODE), "\xff\xd0", 2);
	memcpy(made->bytes + (DIRECT - CODE), "\xe8\x4c\xfe\xff\xff", 5);
	memcpy(made->bytes + (START - CODE),
		"\x31\xed\x5f\x41\xff\xd1\x89\xc7\x31\xc0\xb0\x3c\x0f\x05", 14);
	made->has_code = true;
	for (i = 0; i < ARRAY_SIZE(made->stack); i++)
		made->stack[i] = 0x1111 * i;
}
#define MAKE(made, bytes) make(made, bytes, sizeof(bytes) - 1)

/*
 * Returns the index of the word where the first caller of the code at CODE + 1
 * + AT was found, or -1. FP_RET: the caller's fp.
 */
static int slot_of(struct made_code *made, size_t at, uint64_t *fp_ret)
{
	uint64_t pcs[3], slots[3];
	const struct unwind_space space = { 1, find, made, read_code };
	const struct unwind_memory memory = { .start = STACK,
		.bytes = (const uint8_t *)made->stack,
		.size = sizeof(made->stack) };
	struct unwind_registers registers = { .known = ~made->unknown,
		.pc = CODE + 1 + at };
	struct unwind_chain chain = { .pcs = pcs, .slots = slots, .room = 3 };
	struct unwinder *unwinder = unwinder_create(UNWIND_X86_64);

	registers.value[SP_NUMBER] = STACK;
	registers.value[FP_NUMBER] = FP;
	unwind(unwinder, &space, &registers, &memory, &chain);
	unwinder_destroy(unwinder);
	made->end = chain.end;
	made->n = chain.n;
	if (chain.n < 2)
		return -1;
	assert_true(pcs[1] == CALLED || pcs[1] == JUMPED || pcs[1] == PUT ||
		pcs[1] == BEGUN || pcs[1] == STARTED || pcs[1] == DIRECTED);
	*fp_ret = chain.oldest.fp;
	return (int)((slots[1] - STACK) / 8);
}

/* Python's trampoline: sub $8, %rsp; call *%rcx; add $8, %rsp; ret */
static void an_epilogue_right_behind_the_pc_locates_the_caller(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x48\x83\xc4\x08\xc3");
	made.stack[1] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 1);
	assert_int_equal(fp, FP);
	made.stack[0] = CALLED;
	assert_int_equal(slot_of(&made, 4, &fp), 0);
}

/*
 * As HotSpot's epilogue: add $0x20, %rsp; pop %rbp; poll; ret, some bytes
 * later.
 */
static void the_next_epilogue_gives_the_frame_size(void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made,
		"\x90\x90\x90\x48\x83\xc4\x20\x5d\x49\x3b\xa7\x48\x03\0\0"
		"\x0f\x87\1\0\0\0\xc3");
	made.stack[5] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 5);
	assert_int_equal(fp, made.stack[4]);
}

static void registers_that_the_epilogue_pops_count_for_the_frame_size(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x48\x81\xc4\x10\0\0\0\x5b\x41\x5c\x5d\xc2\x08\0");
	made.stack[5] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 5);
	assert_int_equal(fp, made.stack[4]);
}

/* As lld's stubs, which have no rules: [endbr64;] [bnd] jmp *x(%rip) */
static void a_linker_stub_has_its_caller_at_sp(void **state _unused_)
{
	struct made_code made;
	uint64_t fp;
	unsigned at;

	MAKE(&made,
		"\xf3\x0f\x1e\xfa\xf2\xff\x25\x22\x22\0\0"
		"\x0f\x1f\x44\0\0\x48\x83\xc4\x08\xc3");
	made.stack[0] = CALLED;
	made.stack[1] = CALLED;
	for (at = 0; at < 6; at++) {
		/* Only at the start of an instruction. */
		if (at > 0 && at < 4)
			continue;
		assert_int_equal(slot_of(&made, at, &fp), 0);
		assert_int_equal(fp, FP);
	}
}

/* As V8's prologue: test; jne; push %rbp; mov %rsp, %rbp */
static void a_pc_before_the_frame_setup_has_its_caller_at_sp(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made,
		"\xf6\x43\x35\x01\x0f\x85\1\1\0\0\x55\x48\x89\xe5\x56\xc9"
		"\xc3");
	made.stack[0] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 0);
	assert_int_equal(fp, FP);
	assert_int_equal(slot_of(&made, 10, &fp), 0);
	made.stack[1] = CALLED;
	assert_int_equal(slot_of(&made, 11, &fp), 1);
	assert_int_equal(fp, made.stack[0]);
}

static void a_frame_pointer_locates_the_caller_in_code_without_rules(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	/* The second epilogue belongs to another function. */
	MAKE(&made, "\x90\xc9\xc3\x48\x83\xc4\x08\xc3");
	made.stack[9] = made.stack[1] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	made.has_code = false;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
}

static void a_frame_pointer_is_not_followed_past_a_caller(void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	/* The function does not set it, and does not end as its epilogue. */
	MAKE(&made, "\x90\x48\x83\xc4\x08\xc3");
	made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	made.stack[3] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), -1);
	assert_int_equal(made.end, UNWIND_NO_RULE);
	/* It does: the word is left of an older call. */
	memcpy(made.bytes + 2, "\xc9\xc3", 2);
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	/* lea -8(%rbp), %rsp */
	memcpy(made.bytes + 2, "\x48\x8d\x65\xf8\x5b\x5d\xc3", 7);
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	/* Neither its beginning nor its end is found. */
	MAKE(&made, "");
	made.stack[3] = made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	/* Its epilogue only pops registers. */
	memcpy(made.bytes + 2, "\x5b\x41\x5c\x5f\xc3", 5);
	assert_int_equal(slot_of(&made, 0, &fp), 3);
}

/*
 * push %rbp; push %rbx; sub $72, %rsp; lea 80(%rsp), %rbp. Behind it is an epilogue that leads
 * to no caller.
 */
static void prologues_show_that_the_frame_pointer_is_set(void **state _unused_)
{
	static const char lea[] = "\x55\x53\x48\x83\xec\x48\x48\x8d\x6c\x24";
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x55\x53\x48\x83\xec\x48\x48\x8d\x6c\x24\x50");
	memcpy(made.bytes + 0x60, "\x48\x83\xc4\x08\xc3", 5);
	made.stack[3] = made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0x3f, &fp), 9);
	/* %rbp points to a variable. */
	memcpy(made.bytes + 1 + sizeof(lea) - 1, "\x20", 1);
	assert_int_equal(slot_of(&made, 0x3f, &fp), -1);
	/* push %rbp; mov %edi, %ebx; mov %rsp, %rbp */
	memcpy(made.bytes + 1, "\x55\x89\xfb\x48\x89\xe5\x90\x90\x90\x90\x90",
		11);
	assert_int_equal(slot_of(&made, 0x3f, &fp), 9);
	/* push %rbp; push %rbx; mov %rsp, %rbp */
	memcpy(made.bytes + 1, "\x55\x53\x90\x48\x89\xe5", 6);
	assert_int_equal(slot_of(&made, 0x3f, &fp), -1);
}

static void a_prologue_before_the_end_of_a_function_is_another_one(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	/* push %rbp; mov %rsp, %rbp; pop %rbp; ret; ...; add $8, %rsp; ret */
	MAKE(&made, "\x55\x48\x89\xe5\x5d\xc3\x31\xc0");
	memcpy(made.bytes + 0x60, "\x48\x83\xc4\x08\xc3", 5);
	made.stack[1] = made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0x3f, &fp), 1);
	made.bytes[6] = 0x90;
	assert_int_equal(slot_of(&made, 0x3f, &fp), 9);
}

static void epilogues_are_told_from_other_instructions(void **state _unused_)
{
	/* Each is before or in "add $24, %rsp; ret". */
	static const struct {
		const char *bytes;
		int slot;
	} cases[] = {
		{ "\x89\xc3\x0f\xb6\xc3",
			3 }, /* mov %eax, %ebx; movzbl %bl, %eax */
		{ "\xf2\x0f\x59\xc3\x90", 3 }, /* mulsd %xmm3, %xmm0 */
		{ "\xc5\xfb\x59\xc3\x90", 3 }, /* vmulsd %xmm3, %xmm0, %xmm0 */
		{ "\x90\x48\x83\xc4\x10\x89\xd8\x5b\xc3", 3 },
		/* add $8, %rsp; lea 1(%rbx), %eax; pop %rbx; mov (%rdi), %cl; pop %r12; ret */
		{ "\x90\x48\x83\xc4\x08\x8d\x43\x01\x5b\x8a\x0f\x41\x5c\xc3",
			3 },
		{ "\x90\x48\x83\xec\x80\xc3", 16 }, /* sub $-128, %rsp */
		{ "\x48\x83\xc0\x5b", 3 },	    /* add $0x5b, %rax */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct made_code made;
		uint64_t fp;

		make(&made, cases[i].bytes, strlen(cases[i].bytes));
		memcpy(made.bytes + 1 + strlen(cases[i].bytes),
			"\x48\x83\xc4\x18\xc3", 5);
		made.stack[0] = made.stack[cases[i].slot] = CALLED;
		assert_int_equal(slot_of(&made, 0, &fp), cases[i].slot);
	}
}

static void a_function_may_jump_back_to_its_epilogue(void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	/* sub $24, %rsp; ...; add $24, %rsp; ret; ...; jmp */
	MAKE(&made, "\x53\x48\x83\xec\x10");
	memcpy(made.bytes + 0x14, "\x48\x83\xc4\x10\x5b\xc3", 6);
	/* The next function: push %rbx; sub $8, %rsp; ...; add $8, %rsp */
	memcpy(made.bytes + 0x90, "\x53\x48\x83\xec\x08", 5);
	memcpy(made.bytes + 0xa0, "\x48\x83\xc4\x08\x5b\xc3", 6);
	made.stack[2] = made.stack[3] = made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0x3f, &fp), 3);
}

/* mov 0x10(%rsp), %rbp; add $0x18, %rsp; ret */
static void the_epilogue_of_go_restores_the_frame_pointer(void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x90\x48\x8b\x6c\x24\x10\x48\x83\xc4\x18\xc3");
	made.stack[3] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 3);
	assert_int_equal(fp, made.stack[2]);
	MAKE(&made, "\x48\x8b\xac\x24\x10\0\0\0\x48\x81\xc4\x18\0\0\0\xc3");
	made.stack[3] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 3);
	assert_int_equal(fp, made.stack[2]);
}

static void a_function_without_a_frame_has_its_caller_at_sp(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "");
	made.stack[0] = DIRECTED;
	made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0x3f, &fp), 0);
	/* The called function ends before the pc. */
	made.bytes[0x10] = 0xc3;
	assert_int_equal(slot_of(&made, 0x3f, &fp), -1);
	/* The called function is behind the pc. */
	made.bytes[DIRECT - CODE + 1] = 0xff;
	assert_int_equal(slot_of(&made, 0x3f, &fp), -1);
}

/* and $1, %eax; ret; nop; and the end of the next function */
static void a_return_behind_an_immediate_operand_ends_a_function(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x83\xe0\x01\xc3\x0f\x1f\x80\0\0\0\0\x48\x83\xc4\x18\xc3");
	made.stack[0] = made.stack[3] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 0);
}

/* push %rbx; sub $16, %rsp; before it, another function with a frame pointer ends. */
static void a_frame_pointer_is_not_followed_at_the_start_of_a_function(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "");
	memcpy(made.bytes + 0x50,
		"\x55\x48\x89\xe5\x31\xc0\xc9\xc3\x53\x48\x83\xec\x10", 13);
	made.stack[0] = made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0x57, &fp), -1);
	assert_int_equal(made.end, UNWIND_NO_RULE);
}

static void an_address_that_does_not_follow_a_call_is_no_caller(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x48\x83\xc4\x08\xc3");
	made.stack[1] = CALLED + 1;
	assert_int_equal(slot_of(&made, 0, &fp), -1);
	made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	/* Behind the copy. */
	MAKE(&made, "\x48\x81\xc4\xf8\0\0\0\x5d\xc3");
	assert_int_equal(slot_of(&made, 0, &fp), -1);
}

/* HotSpot's interpreter pushes the return address and jumps. */
static void a_jump_counts_as_a_call_if_the_saved_frame_pointer_is_valid(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "\x48\x83\xc4\x20\x5d\xc3");
	made.stack[5] = JUMPED;
	assert_int_equal(slot_of(&made, 0, &fp), -1);
	/* The saved frame pointer must lead to a frame. */
	made.stack[4] = STACK + 10 * 8;
	assert_int_equal(slot_of(&made, 0, &fp), -1);
	made.stack[11] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 5);
	/* The frame pointer was followed. */
	assert_int_equal(fp, made.stack[10]);
	made.stack[11] = JUMPED;
	assert_int_equal(slot_of(&made, 0, &fp), 5);
	made.stack[11] = JUMPED + 1;
	assert_int_equal(slot_of(&made, 0, &fp), -1);
	made.stack[11] = CALLED;
	made.stack[4] = STACK + 5 * 8;
	assert_int_equal(slot_of(&made, 0, &fp), -1);
}

/* As libc's clone(): 8 bytes belong to the caller and to the new thread. */
static struct cfi *clone_rules(void)
{
	struct made_cfi bytes = { .n = 0 };

	made_cie(&bytes, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&bytes, CODE, 8, 0x00);
	MADE_FDE(&bytes, PUT, 0x10, 0x07, 16);
	return made_cfi(&bytes, UNWIND_X86_64);
}

static void the_return_of_clone_is_a_root_only_on_the_new_threads_stack(
	void **state _unused_)
{
	/*
	 * Thread stacks begin with an address on the stack, or with a function.
	 */
	static const uint64_t begins[] = { STACK + 0x100, PUT, 0 };
	struct made_code made;
	uint64_t fp;
	unsigned i, is_slow;

	MAKE(&made, "");
	made.cfi = clone_rules();
	for (is_slow = 0; is_slow < 2; is_slow++) {
		made.unknown = is_slow ? 1 << FP_NUMBER : 0;
		made.has_code = true;
		made.stack[0] = CALLED;
		assert_int_equal(slot_of(&made, 8, &fp), 0);
		for (i = 0; i < ARRAY_SIZE(begins); i++) {
			made.stack[0] = begins[i];
			made.has_code = i % 2 == 0;
			assert_int_equal(slot_of(&made, 8, &fp), -1);
			assert_int_equal(made.end, UNWIND_ROOT);
		}
	}
	cfi_destroy(made.cfi);
}

/*
 * Only the code behind the call at BEGIN, the process's entry point, has rules.
 */
static struct cfi *begin_rules(void)
{
	struct made_cfi bytes = { .n = 0 };

	made_cie(&bytes, "zR", 16, made_x86_start, sizeof(made_x86_start));
	MADE_FDE(&bytes, BEGIN, 0x10, 0x07, 16);
	return made_cfi(&bytes, UNWIND_X86_64);
}

static void the_outermost_frame_is_found_if_no_caller_is_nearer(
	void **state _unused_)
{
	static const uint64_t begins[] = { BEGUN, STARTED };
	struct made_code made;
	uint64_t fp;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(begins); i++) {
		MAKE(&made, "");
		made.cfi = begin_rules();
		made.stack[2] = BEGIN; /* not behind the call */
		made.stack[5] = begins[i];
		assert_int_equal(slot_of(&made, 0, &fp), 5);
		assert_int_equal(made.end, UNWIND_ROOT);
		assert_int_equal(made.n, 2);
		assert_int_equal(fp, FP);
		/* The caller of this function is unknown. */
		made.stack[4] = CALLED;
		assert_int_equal(slot_of(&made, 0, &fp), -1);
		assert_int_equal(made.end, UNWIND_NO_RULE);
		/* It is unknown if this function was called. */
		made.stack[4] = 0;
		made.has_code = false;
		assert_int_equal(slot_of(&made, 0, &fp), -1);
		assert_int_equal(made.end, UNWIND_NO_RULE);
		cfi_destroy(made.cfi);
	}
}

/*
 * Compilers use rbp as a general register, where it may point to data on the
 * stack.
 */
static void a_frame_pointer_of_0_is_no_root_if_a_caller_follows(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "");
	made.stack[8] = 0;
	made.stack[9] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	assert_int_equal(made.end, UNWIND_ROOT);
	made.stack[14] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	assert_int_equal(made.end, UNWIND_NO_RULE);
	/* One frame earlier: the caller's return address is 0, too. */
	made.stack[8] = STACK + 11 * 8;
	made.stack[11] = made.stack[12] = 0;
	made.stack[14] = 0;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	assert_int_equal(made.end, UNWIND_ROOT);
	made.stack[14] = CALLED;
	assert_int_equal(slot_of(&made, 0, &fp), 9);
	assert_int_equal(made.end, UNWIND_ZERO);
}

static void a_thread_start_behind_a_nearer_caller_is_no_root(
	void **state _unused_)
{
	static const uint64_t begins[] = { BEGUN, STARTED, CALLED };
	struct made_code made;
	uint64_t fp;
	unsigned i;

	for (i = 0; i < ARRAY_SIZE(begins); i++) {
		/* By the frame pointer, and by instructions. */
		MAKE(&made, "\x48\x83\xc4\x28\xc3");
		made.cfi = begin_rules();
		made.stack[8] = 0;
		made.stack[9] = begins[i];
		assert_int_equal(slot_of(&made, 0, &fp), 9);
		made.stack[3] = CALLED;
		assert_int_equal(slot_of(&made, 0, &fp), -1);
		assert_int_equal(made.end, UNWIND_NO_RULE);
		made.stack[3] = 0;
		made.stack[5] = begins[i];
		assert_int_equal(slot_of(&made, 0, &fp), 5);
		made.stack[3] = CALLED;
		assert_int_equal(
			slot_of(&made, 0, &fp), begins[i] == CALLED ? 5 : -1);
		cfi_destroy(made.cfi);
	}
}

/*
 * As in musl: push %rbx; sub $0x28, %rsp; ...; add $0x28, %rsp; pop %rbx; ret
 */
static void the_epilogue_is_not_used_before_the_frame_setup(
	void **state _unused_)
{
	static const char pushes[] = "\x53\x48\x83\xec\x28\x90\x48\x83\xc4\x28"
				     "\x5b\xc3";
	static const char moved[] = "\x90\x48\x81\xec\x28\0\0\0\x90\x48\x83\xc4"
				    "\x28\x5b\xc3";
	struct made_code made;
	uint64_t fp;

	MAKE(&made, pushes);
	made.stack[6] = CALLED;
	assert_int_equal(slot_of(&made, 5, &fp), 6);
	assert_int_equal(slot_of(&made, 0, &fp), -1);
	assert_int_equal(slot_of(&made, 1, &fp), -1);
	MAKE(&made, moved);
	made.stack[6] = CALLED;
	assert_int_equal(slot_of(&made, 8, &fp), 6);
	assert_int_equal(slot_of(&made, 0, &fp), -1);
}

static void a_function_found_by_frame_pointer_is_a_root_without_a_caller(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;

	MAKE(&made, "");
	made.cfi = clone_rules();
	made.stack[9] = PUT;
	assert_int_equal(slot_of(&made, 0x20, &fp), 9);
	assert_int_equal(made.end, UNWIND_ROOT);
	made.stack[14] = CALLED;
	assert_int_equal(slot_of(&made, 0x20, &fp), 9);
	assert_int_equal(made.end, UNWIND_NO_RULE);
	cfi_destroy(made.cfi);
}

static void code_that_differs_from_a_thread_start_is_no_root(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;
	unsigned i;

	for (i = 0; i < 14; i++) {
		MAKE(&made, "");
		made.bytes[START - CODE + i] ^= 0x08;
		made.stack[5] = STARTED;
		assert_int_equal(slot_of(&made, 0, &fp), -1);
		assert_int_equal(made.end, UNWIND_NO_RULE);
	}
}

/* As in musl and Go; the kernel's struct ucontext is at sp. */
static void a_signal_frame_without_rules_has_the_interrupted_pc(
	void **state _unused_)
{
	struct made_code made;
	uint64_t fp;
	unsigned i, is_slow;

	for (i = 0; i < 4; i++)
		for (is_slow = 0; is_slow < 2; is_slow++) {
			if (i % 2)
				MAKE(&made, "\xb8\x0f\0\0\0\x0f\x05");
			else
				MAKE(&made,
					"\x48\xc7\xc0\x0f\0\0\0\x0f"
					"\x05");
			/* Another system call. */
			made.bytes[1 + 1 + 2 * !(i % 2)] += i / 2;
			made.unknown = is_slow ? 1 << FP_NUMBER : 0;
			made.stack[15] = STACK + 0x80;
			made.stack[20] = STACK + 0xb8;
			made.stack[21] = CALLED;
			assert_int_equal(
				slot_of(&made, 0, &fp), i < 2 ? 21 : -1);
			if (i < 2)
				assert_int_equal(fp, made.stack[15]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			an_epilogue_right_behind_the_pc_locates_the_caller),
		cmocka_unit_test(the_next_epilogue_gives_the_frame_size),
		cmocka_unit_test(
			registers_that_the_epilogue_pops_count_for_the_frame_size),
		cmocka_unit_test(
			a_pc_before_the_frame_setup_has_its_caller_at_sp),
		cmocka_unit_test(a_linker_stub_has_its_caller_at_sp),
		cmocka_unit_test(
			a_frame_pointer_locates_the_caller_in_code_without_rules),
		cmocka_unit_test(a_frame_pointer_is_not_followed_past_a_caller),
		cmocka_unit_test(prologues_show_that_the_frame_pointer_is_set),
		cmocka_unit_test(
			a_prologue_before_the_end_of_a_function_is_another_one),
		cmocka_unit_test(epilogues_are_told_from_other_instructions),
		cmocka_unit_test(a_function_may_jump_back_to_its_epilogue),
		cmocka_unit_test(the_epilogue_of_go_restores_the_frame_pointer),
		cmocka_unit_test(
			a_function_without_a_frame_has_its_caller_at_sp),
		cmocka_unit_test(
			a_return_behind_an_immediate_operand_ends_a_function),
		cmocka_unit_test(
			a_frame_pointer_is_not_followed_at_the_start_of_a_function),
		cmocka_unit_test(
			an_address_that_does_not_follow_a_call_is_no_caller),
		cmocka_unit_test(
			a_jump_counts_as_a_call_if_the_saved_frame_pointer_is_valid),
		cmocka_unit_test(
			the_return_of_clone_is_a_root_only_on_the_new_threads_stack),
		cmocka_unit_test(
			the_outermost_frame_is_found_if_no_caller_is_nearer),
		cmocka_unit_test(
			a_frame_pointer_of_0_is_no_root_if_a_caller_follows),
		cmocka_unit_test(
			a_thread_start_behind_a_nearer_caller_is_no_root),
		cmocka_unit_test(
			the_epilogue_is_not_used_before_the_frame_setup),
		cmocka_unit_test(
			a_function_found_by_frame_pointer_is_a_root_without_a_caller),
		cmocka_unit_test(
			code_that_differs_from_a_thread_start_is_no_root),
		cmocka_unit_test(
			a_signal_frame_without_rules_has_the_interrupted_pc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
