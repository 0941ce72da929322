/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/kallsyms.h"

#include <stdio.h>
#include <sys/mman.h>

#include "tests/unit/testing.h"

/* Reads a file that contains TEXT. */
static bool read_text(const char *text, struct kallsyms *ret)
{
	_cleanup_close_ int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	memset(ret, 0xa5, sizeof(*ret));
	return kallsyms_read(path, ret);
}

static const char *name_at(const struct symtab *table, uint64_t address)
{
	const struct symbol *symbol = symtab_find(table, address);

	return symbol ? symtab_name(table, symbol) : "-";
}

static const char some_kernel[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000100 t a_local\n"
	"ffffffff81000200 W a_weak\n"
	"ffffffff81000300 T schedule\n"
	"ffffffff81000308 t $d\n"
	"ffffffff81000310 t $x.17\n"
	"ffffffff82000000 T _etext\n"
	"ffffffff82800000 D some_data\n"
	"ffffffffc0001000 t ext4_read\t[ext4]\n"
	"ffffffffc0001100 t ext4_write\t[ext4]\n"
	"ffffffffc0001108 t $x\t[ext4]\n"
	"ffffffffc0001200 b ext4_buffer\t[ext4]\n"
	"ffffffffc0008000 t bpf_prog_6deef7357e7b4530\t[bpf]\n";

static void code_of_the_kernel_is_found_by_address(void **state _unused_)
{
	struct kallsyms k;

	assert_true(read_text(some_kernel, &k));
	assert_string_equal(
		name_at(&k.kernel, UINT64_C(0xffffffff81000010)), "startup_64");
	assert_string_equal(
		name_at(&k.kernel, UINT64_C(0xffffffff810001ff)), "a_local");
	assert_string_equal(
		name_at(&k.kernel, UINT64_C(0xffffffff81000200)), "a_weak");
	assert_string_equal(
		name_at(&k.kernel, UINT64_C(0xffffffff81ffffff)), "schedule");
	kallsyms_deinit(&k);
}

static void the_start_and_end_of_the_kernel_text_are_read(void **state _unused_)
{
	struct kallsyms k;

	assert_true(read_text(some_kernel, &k));
	assert_true(k.text_start == UINT64_C(0xffffffff81000000));
	assert_true(k.text_end == UINT64_C(0xffffffff82000000));
	kallsyms_deinit(&k);
}

static void kernel_data_symbols_are_skipped(void **state _unused_)
{
	struct kallsyms k;

	assert_true(read_text(some_kernel, &k));
	assert_string_equal(
		name_at(&k.kernel, UINT64_C(0xffffffff82800000)), "-");
	assert_string_equal(name_at(&k.kernel, 0), "-");
	kallsyms_deinit(&k);
}

static void each_kernel_module_has_its_own_symbol_table(void **state _unused_)
{
	struct kallsyms k;

	assert_true(read_text(some_kernel, &k));
	assert_int_equal(k.modules.n, 2);
	assert_string_equal(k.modules.at[0].name, "[ext4]");
	assert_string_equal(k.modules.at[1].name, "[bpf]");
	assert_string_equal(
		name_at(&k.modules.at[0].symbols, UINT64_C(0xffffffffc0001001)),
		"ext4_read");
	assert_string_equal(
		name_at(&k.modules.at[0].symbols, UINT64_C(0xffffffffc0001100)),
		"ext4_write");
	assert_string_equal(
		name_at(&k.modules.at[1].symbols, UINT64_C(0xffffffffc0008000)),
		"bpf_prog_6deef7357e7b4530");
	assert_string_equal(
		name_at(&k.kernel, UINT64_C(0xffffffffc0001001)), "-");
	kallsyms_deinit(&k);
}

/* Each module is looked up among all modules before it. */
static void symbols_of_50000_kernel_modules_are_read(void **state _unused_)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct kallsyms k;
	unsigned i;

	strbuf_puts(&text, "ffffffff81000000 T _text\n");
	for (i = 0; i < 100000; i++)
		strbuf_printf(
			&text, "ffffffffc%07x t f%u\t[m%u]\n", i, i, i % 50000);
	assert_true(read_text(text.at, &k));
	assert_int_equal(k.modules.n, 50000);
	assert_int_equal(k.modules.at[7].symbols.symbols.n, 2);
	assert_string_equal(name_at(&k.modules.at[7].symbols,
				    UINT64_C(0xffffffffc0000000) + 50007),
		"f50007");
	kallsyms_deinit(&k);
}

static void lines_of_kallsyms_beyond_the_size_limit_are_not_read(
	void **state _unused_)
{
	_cleanup_close_ int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	static const char start[] = "ffffffff81000000 T _text\n";
	static const char late[] = "\nffffffff81000010 T late\n";
	struct kallsyms k;

	assert_int_equal(
		write(fd, start, sizeof(start) - 1), sizeof(start) - 1);
	assert_int_equal(pwrite(fd, late, sizeof(late) - 1, (off_t)GIB(1)),
		sizeof(late) - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_true(kallsyms_read_fd(fd, &k));
	assert_int_equal(k.kernel.symbols.n, 1);
	kallsyms_deinit(&k);
}

static void symbol_stext_is_the_text_start_if_symbol_text_is_missing(
	void **state _unused_)
{
	struct kallsyms k;

	assert_true(read_text("ffff800008000000 T _stext\n"
			      "ffff800008001000 T f\n",
		&k));
	assert_true(k.text_start == UINT64_C(0xffff800008000000));
	assert_int_equal(k.text_end, 0);
	kallsyms_deinit(&k);
}

static void kallsyms_with_all_addresses_0_is_an_error(void **state _unused_)
{
	struct kallsyms k;

	assert_false(read_text("0000000000000000 T _text\n"
			       "0000000000000000 T schedule\n"
			       "0000000000000000 t ext4_read\t[ext4]\n",
		&k));
	assert_int_equal(k.kernel.symbols.n, 0);
	assert_int_equal(k.modules.n, 0);
}

static void invalid_lines_of_kallsyms_are_skipped(void **state _unused_)
{
	struct kallsyms k;

	assert_true(read_text("\n"
			      "nonsense\n"
			      "ffffffff81000000\n"
			      "ffffffff81000000 \n"
			      "ffffffff81000000 T\n"
			      "ffffffff81000000 TT _text\n"
			      " T \n"
			      "ffffffff81000000 T _text\n"
			      "ffffffff81000100 T last_without_newline",
		&k));
	assert_int_equal(k.kernel.symbols.n, 2);
	assert_string_equal(name_at(&k.kernel, UINT64_C(0xffffffff81000100)),
		"last_without_newline");
	kallsyms_deinit(&k);
}

static void a_missing_or_empty_kallsyms_is_an_error(void **state _unused_)
{
	struct kallsyms k;

	GARBAGE(k);
	assert_false(kallsyms_read("/nonexistent/kallsyms", &k));
	assert_int_equal(k.kernel.symbols.n, 0);
	kallsyms_deinit(&k);
	assert_false(read_text("", &k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_the_kernel_is_found_by_address),
		cmocka_unit_test(the_start_and_end_of_the_kernel_text_are_read),
		cmocka_unit_test(kernel_data_symbols_are_skipped),
		cmocka_unit_test(each_kernel_module_has_its_own_symbol_table),
		cmocka_unit_test(symbols_of_50000_kernel_modules_are_read),
		cmocka_unit_test(
			lines_of_kallsyms_beyond_the_size_limit_are_not_read),
		cmocka_unit_test(
			symbol_stext_is_the_text_start_if_symbol_text_is_missing),
		cmocka_unit_test(kallsyms_with_all_addresses_0_is_an_error),
		cmocka_unit_test(invalid_lines_of_kallsyms_are_skipped),
		cmocka_unit_test(a_missing_or_empty_kallsyms_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
