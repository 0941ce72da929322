/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/function_size.h"

#include <elf.h>

#include "tests/unit/testing.h"

/* Returns the size of the function of the N bytes at CODE, which no other bytes follow. */
static size_t size_of(unsigned machine, const void *code, size_t n)
{
	uint8_t *copy = exact_copy(code, n);
	size_t size = function_size(machine, copy, n);

	free(copy);
	return size;
}

#define SIZE_OF(machine, code) size_of(machine, code, sizeof(code) - 1)
#define X86_SIZE(code) SIZE_OF(EM_X86_64, code)
#define ARM_SIZE(code) SIZE_OF(EM_AARCH64, code)

static void a_function_ends_at_its_first_return_jump_or_halt(
	void **state _unused_)
{
	/* xor %eax, %eax; ret; nop; mov $15, %rax; syscall */
	assert_int_equal(X86_SIZE("\x31\xc0\xc3\x90"
				  "\x48\xc7\xc0\x0f\0\0\0\x0f\x05"),
		3);
	assert_int_equal(X86_SIZE("\xc2\x08\0\x90"), 3);	 /* ret $8 */
	assert_int_equal(X86_SIZE("\xe9\0\xff\xff\xff\x90"), 5); /* jmp back */
	assert_int_equal(X86_SIZE("\xe9\0\0\0\x10\x90"), 5);	 /* jmp far */
	assert_int_equal(X86_SIZE("\xeb\x80\x90"), 2);
	assert_int_equal(X86_SIZE("\x0f\x05\xf4\x90"), 3); /* syscall; hlt */
	assert_int_equal(X86_SIZE("\x90\x0f\x0b\x90"), 3); /* nop; ud2 */
	assert_int_equal(X86_SIZE("\xe8\0\0\0\0\xcc\x90"), 6); /* call; int3 */
}

static void a_function_goes_on_behind_a_return_that_a_jump_passes(
	void **state _unused_)
{
	/* je 1f; ret; 1: nop; ret; nop */
	assert_int_equal(X86_SIZE("\x74\x01\xc3\x90\xc3\x90"), 5);
	assert_int_equal(X86_SIZE("\x0f\x84\x01\0\0\0\xc3\x90\xc3\x90"), 9);
	/* jmp 1f; ret; 1: jmp to the start */
	assert_int_equal(X86_SIZE("\xeb\x01\xc3\xeb\xfb\x90"), 5);
	/* je 1f; ret; 1: ret: the last return is reached */
	assert_int_equal(X86_SIZE("\x74\x01\xc3\xc3\xc3"), 4);
	assert_int_equal(X86_SIZE("\xe3\x01\xc3\xc3\xc3"), 4); /* jrcxz */
}

static void the_size_of_code_that_is_not_understood_is_unknown(
	void **state _unused_)
{
	assert_int_equal(X86_SIZE("\xff\xe0\xc3"), 0); /* jmp *%rax */
	assert_int_equal(X86_SIZE("\xff\x24\xc5\0\0\0\0\xc3"), 0);
	assert_int_equal(X86_SIZE("\x06\xc3"), 0);	     /* push %es */
	assert_int_equal(X86_SIZE("\x62\xf0\0\0\0\xc3"), 0); /* EVEX, map 0 */
	assert_int_equal(X86_SIZE("\x8f\xe8\x78\xc2\xec\x0e\xc3"), 0); /* XOP */
	assert_int_equal(X86_SIZE("\x90"), 0);
	assert_int_equal(X86_SIZE("\xe9\0\0\0"), 0);
	assert_int_equal(X86_SIZE("\x66\x66\x66\x66"), 0);
	assert_int_equal(X86_SIZE(""), 0);
	assert_int_equal(SIZE_OF(EM_386, "\xc3"), 0);
	assert_int_equal(ARM_SIZE("\0\0\0\0"), 0);
	assert_int_equal(ARM_SIZE("\xc0\x03\x5f"), 0);
}

/* Of each form that opcodes have; as an assembler for x86-64 writes them. */
static const struct {
	const char *code;
	size_t n;
} instructions[] = {
#define CODE(code)                     \
	{                              \
		code, sizeof(code) - 1 \
	}
	CODE("\x01\xd8"),			/* add %ebx, %eax */
	CODE("\x04\x05"),			/* add $5, %al */
	CODE("\x05\x01\x02\x03\x04"),		/* add $..., %eax */
	CODE("\x66\x05\x01\x02"),		/* add $..., %ax */
	CODE("\x41\x55"),			/* push %r13 */
	CODE("\x48\x63\xf6"),			/* movslq %esi, %rsi */
	CODE("\x68\x01\x02\x03\x04"),		/* push $... */
	CODE("\x69\xc0\x01\x02\x03\x04"),	/* imul $..., %eax, %eax */
	CODE("\x6b\xc0\x10"),			/* imul $16, %eax, %eax */
	CODE("\x81\x3c\x24\0\xf8\x7f\xc6"),	/* cmpl $..., (%rsp) */
	CODE("\x66\x81\xfa\x01\x02"),		/* cmp $..., %dx */
	CODE("\x83\xe2\x3f"),			/* and $63, %edx */
	CODE("\x48\x8b\x44\x24\x08"),		/* mov 8(%rsp), %rax */
	CODE("\x48\x8d\x35\x01\x02\x03\x04"),	/* lea ...(%rip), %rsi */
	CODE("\x8b\x04\x25\x01\x02\x03\x04"),	/* mov ..., %eax */
	CODE("\x8b\x84\x88\x01\x02\x03\x04"),	/* mov ...(%rax,%rcx,4) */
	CODE("\x64\x48\x8b\x14\x25\x08\0\0\0"), /* mov %fs:8, %rdx */
	CODE("\xa1\1\2\3\4\5\6\7\x08"),		/* movabs ..., %eax */
	CODE("\xa8\x01"),			/* test $1, %al */
	CODE("\xb0\x38"),			/* mov $56, %al */
	CODE("\xb8\x3a\0\0\0"),			/* mov $58, %eax */
	CODE("\x66\xb8\x01\x02"),		/* mov $..., %ax */
	CODE("\x49\xb8\1\1\1\1\1\1\1\1"),	/* movabs $..., %r8 */
	CODE("\xc1\xe9\x03"),			/* shr $3, %ecx */
	CODE("\xc7\x44\x24\xfc\0\0\x82\xc2"),	/* movl $..., -4(%rsp) */
	CODE("\xc8\x10\0\0"),			/* enter $16, $0 */
	CODE("\xd9\x7c\x24\x08"),		/* fnstcw 8(%rsp) */
	CODE("\xe8\0\0\0\0"),			/* call */
	CODE("\xf3\x48\xa5"),			/* rep movsq */
	CODE("\xf6\xc4\x02"),			/* test $2, %ah */
	CODE("\xf6\xd8"),			/* neg %al */
	CODE("\xf7\xc7\x07\0\0\0"),		/* test $7, %edi */
	CODE("\xf7\xd9"),			/* neg %ecx */
	CODE("\xff\x15\x01\x02\x03\x04"),	/* call *...(%rip) */
	CODE("\x0f\x05"),			/* syscall */
	CODE("\x66\x0f\x70\xc0\xe1"),		/* pshufd $..., %xmm0 */
	CODE("\x66\x0f\x3a\x0f\xc1\x08"),	/* palignr $8, %xmm1 */
	CODE("\x66\x0f\x38\0\xc1"),		/* pshufb %xmm1, %xmm0 */
	CODE("\x48\x0f\xba\xe0\x3f"),		/* bt $63, %rax */
	CODE("\xf3\x0f\x1e\xfa"),		/* endbr64 */
	CODE("\x66\x2e\x0f\x1f\x84\0\0\0\0\0"), /* nopw */
	CODE("\xc5\xf8\x77"),			/* vzeroupper */
	CODE("\xc5\xfd\x70\xc9\xb1"),		/* vpshufd $..., %ymm1 */
	CODE("\xc5\xf5\xfd\xc0"),		/* vpaddw %ymm0, %ymm1 */
	CODE("\xc4\xe2\x7d\0\xcc"),		/* vpshufb %ymm4, %ymm0 */
	CODE("\xc4\xe3\x7d\x0e\xc9\xaa"),	/* vpblendw $..., %ymm1 */
	CODE("\x62\xf1\xfe\x48\x6f\x46\x01"),	/* vmovdqu64 64(%rsi) */
	CODE("\x62\xf3\x7d\x48\x1f\xc9\x04"),	/* vpcmpd $4, %zmm1 */
};

static void the_length_of_each_form_of_an_x86_64_instruction_is_known(
	void **state _unused_)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(instructions); i++) {
		uint8_t code[32] = { 0 };
		size_t n = instructions[i].n;

		memcpy(code, instructions[i].code, n);
		memset(code + n, 0xc3, 2); /* two returns */
		if (size_of(EM_X86_64, code, n + 2) != n + 1)
			fail_msg("instruction %zu has another length", i);
	}
}

static void branches_of_aarch64_are_followed(void **state _unused_)
{
#define NOP "\x1f\x20\x03\xd5"
#define RET "\xc0\x03\x5f\xd6"
	assert_int_equal(ARM_SIZE(NOP RET NOP), 8);
	/* b.eq, cbz, cbnz, tbz to the last instruction, which is b to the first */
	assert_int_equal(
		ARM_SIZE("\x40\0\0\x54" RET "\xfe\xff\xff\x17" NOP), 12);
	assert_int_equal(ARM_SIZE("\x40\0\0\xb4" RET RET RET), 12);
	assert_int_equal(ARM_SIZE("\x40\0\0\x35" RET RET RET), 12);
	assert_int_equal(ARM_SIZE("\x40\0\0\x36" RET RET RET), 12);
	assert_int_equal(ARM_SIZE("\0\0\0\x94" RET), 8);     /* bl */
	assert_int_equal(ARM_SIZE("\x20\0\x20\xd4" RET), 4); /* brk */
	assert_int_equal(ARM_SIZE("\0\x02\x1f\xd6" RET), 0); /* br x16 */
	assert_int_equal(ARM_SIZE("\0\x01\x3f\xd6" RET), 8); /* blr x8 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_function_ends_at_its_first_return_jump_or_halt),
		cmocka_unit_test(
			a_function_goes_on_behind_a_return_that_a_jump_passes),
		cmocka_unit_test(
			the_size_of_code_that_is_not_understood_is_unknown),
		cmocka_unit_test(
			the_length_of_each_form_of_an_x86_64_instruction_is_known),
		cmocka_unit_test(branches_of_aarch64_are_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
