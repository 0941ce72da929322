/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include "common/unwind/registers.h"

static uint64_t mask_of(const char *machine, const char *name)
{
	struct registers registers = registers_of(machine);

	return registers_find(&registers, name, strlen(name));
}

/* Numbers in each architecture's asm/perf_regs.h. */
static void register_numbers_are_those_of_the_kernel(void **state _unused_)
{
	static const struct {
		const char *machine, *name;
		unsigned bit;
	} rows[] = {
		{ "x86_64", "AX", 0 },
		{ "x86_64", "IP", 8 },
		{ "x86_64", "SS", 11 },
		{ "x86_64", "R8", 16 },
		{ "x86_64", "r15", 23 },
		{ "i686", "GS", 15 },
		{ "aarch64", "x0", 0 },
		{ "aarch64", "lr", 30 },
		{ "aarch64", "pc", 32 },
		{ "aarch64", "vg", 46 },
		{ "armv7l", "pc", 15 },
		{ "s390x", "PC", 33 },
		{ "s390x", "FP15", 31 },
		{ "ppc64le", "nip", 32 },
		{ "ppc64le", "mmcra", 44 },
		{ "ppc64le", "mmcr3", 48 },
		{ "ppc64le", "pmc1", 51 },
		{ "ppc64le", "siar", 58 },
		{ "riscv64", "a0", 10 },
		{ "riscv64", "t6", 31 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct registers registers = registers_of(rows[i].machine);

		assert_true(mask_of(rows[i].machine, rows[i].name) ==
			UINT64_C(1) << rows[i].bit);
		assert_non_null(registers_name(&registers, rows[i].bit));
	}
}

/*
 * perf_regs.h of x86: PERF_REG_X86_XMM0 is 32, and each register has two bits.
 */
static void a_vector_register_has_two_bits(void **state _unused_)
{
	struct registers registers = registers_of("x86_64");

	assert_true(mask_of("x86_64", "XMM0") == UINT64_C(3) << 32);
	assert_true(mask_of("i686", "xmm15") == UINT64_C(3) << 62);
	assert_true(mask_of("x86_64", "XMM1") == UINT64_C(3) << 34);
	assert_string_equal(registers_name(&registers, 32), "XMM0");
	assert_string_equal(registers_name(&registers, 33), "XMM0");
	assert_string_equal(registers_name(&registers, 63), "XMM15");
}

/* "All" excludes registers that only some machines can sample. */
static void registers_all_has_only_registers_that_every_machine_has(
	void **state _unused_)
{
	static const struct {
		const char *machine;
		uint64_t all, extended;
	} rows[] = {
		{ "x86_64", 0xff0fff, UINT64_C(0xffffffff) << 32 },
		{ "i686", 0xffff, UINT64_C(0xffffffff) << 32 },
		{ "aarch64", 0x1ffffffff, UINT64_C(1) << 46 },
		{ "armv7l", 0xffff, 0 },
		{ "s390x", 0x3ffffffff, 0 },
		{ "ppc64", 0x1fffffffffff, UINT64_C(0x3fff) << 45 },
		{ "riscv64", 0xffffffff, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct registers registers = registers_of(rows[i].machine);

		assert_true(registers_all(&registers) == rows[i].all);
		assert_true(registers.extended == rows[i].extended);
	}
}

static void unused_register_bits_have_no_name(void **state _unused_)
{
	struct registers registers = registers_of("x86_64");

	assert_null(registers_name(&registers, 12)); /* DS: refused */
	assert_null(registers_name(&registers, 24));
	assert_null(registers_name(&registers, 64));
	assert_false(registers_find(&registers, "A", 1));
	assert_false(registers_find(&registers, "", 0));
	registers = registers_of("vax");
	assert_true(registers_all(&registers) == 0);
	assert_null(registers_name(&registers, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(register_numbers_are_those_of_the_kernel),
		cmocka_unit_test(a_vector_register_has_two_bits),
		cmocka_unit_test(
			registers_all_has_only_registers_that_every_machine_has),
		cmocka_unit_test(unused_register_bits_have_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
