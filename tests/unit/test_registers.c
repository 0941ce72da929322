/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "testing.h"

#include "common/registers.h"

/* Numbers of asm/perf_regs.h, of each architecture's own. */
static void numbers_are_those_of_the_kernel(void **state _unused_)
{
	static const struct {
		const char *machine, *name;
		unsigned bit;
	} rows[] = {
		{ "x86_64", "AX", 0 }, { "x86_64", "IP", 8 },
		{ "x86_64", "SS", 11 }, { "x86_64", "R8", 16 },
		{ "x86_64", "r15", 23 }, { "i686", "GS", 15 },
		{ "aarch64", "x0", 0 }, { "aarch64", "lr", 30 },
		{ "aarch64", "pc", 32 }, { "armv7l", "pc", 15 },
		{ "s390x", "PC", 33 }, { "ppc64le", "nip", 32 },
		{ "ppc64le", "mmcra", 44 }, { "riscv64", "a0", 10 },
		{ "riscv64", "t6", 31 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct registers registers = registers_of(rows[i].machine);
		unsigned bit = 99;

		assert_true(registers_find(&registers, rows[i].name,
			strlen(rows[i].name), &bit));
		assert_int_equal(bit, rows[i].bit);
		assert_non_null(registers_name(&registers, bit));
	}
}

static void what_is_none_has_no_name(void **state _unused_)
{
	struct registers registers = registers_of("x86_64");
	unsigned bit;

	assert_null(registers_name(&registers, 12)); /* DS: refused */
	assert_null(registers_name(&registers, 24));
	assert_null(registers_name(&registers, 64));
	assert_true(registers_all(&registers) == 0xff0fff);
	assert_false(registers_find(&registers, "A", 1, &bit));
	assert_false(registers_find(&registers, "", 0, &bit));
	registers = registers_of("vax");
	assert_true(registers_all(&registers) == 0);
	assert_null(registers_name(&registers, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_those_of_the_kernel),
		cmocka_unit_test(what_is_none_has_no_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
