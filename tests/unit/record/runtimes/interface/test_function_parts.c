/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tests/unit/testing.h"

#include <fcntl.h>

#include "record/runtimes/interface/function_parts.h"

/*
 * parts_first is the first part of a function, and parts_moved the other one. parts_next is
 * another function, to which the first jumps. It jumps to the beginning of the first.
 */
#ifdef __x86_64__
__asm__(".pushsection .text.parts, \"ax\"\n"
	".globl parts_first, parts_moved, parts_next, parts_alone\n"
	".type parts_first, @function\n"
	"parts_first: .cfi_startproc\n"
	"test %edi, %edi\n"
	"jne parts_moved\n"
	"parts_back: jmp parts_next\n"
	".cfi_endproc\n"
	".size parts_first, . - parts_first\n"
	".type parts_alone, @function\n"
	"parts_alone: .cfi_startproc\n"
	"jmp parts_next\n"
	".cfi_endproc\n"
	".size parts_alone, . - parts_alone\n"
	".popsection\n"
	".pushsection .text.parts_moved, \"ax\"\n"
	".type parts_moved, @function\n"
	"parts_moved: .cfi_startproc\n"
	"xor %edi, %edi\n"
	"jmp parts_back\n"
	".cfi_endproc\n"
	".size parts_moved, . - parts_moved\n"
	".popsection\n"
	".pushsection .text.parts_next, \"ax\"\n"
	".type parts_next, @function\n"
	"parts_next: .cfi_startproc\n"
	"test %edi, %edi\n"
	"jne parts_first\n"
	"ret\n"
	".cfi_endproc\n"
	".size parts_next, . - parts_next\n"
	".popsection\n");
/*
 * parts_dispatches has indirect jumps, and parts_large only one. Both have the size of an
 * interpreter.
 */
__asm__(".pushsection .text.parts_dispatches, \"ax\"\n"
	".globl parts_dispatches, parts_large\n"
	".type parts_dispatches, @function\n"
	"parts_dispatches: .cfi_startproc\n"
	".rept 8\n"
	"jmp *%rax\n"
	".endr\n"
	".skip 8192, 0x90\n"
	".cfi_endproc\n"
	".size parts_dispatches, . - parts_dispatches\n"
	".type parts_large, @function\n"
	"parts_large: .cfi_startproc\n"
	"jmp *%rax\n"
	".skip 8192, 0x90\n"
	".cfi_endproc\n"
	".size parts_large, . - parts_large\n"
	".popsection\n");
extern char parts_dispatches[], parts_large[];
/* The linker keeps the functions. */
extern char parts_first[], parts_moved[], parts_next[], parts_alone[];
static const void *const functions[] = { parts_first, parts_moved, parts_next,
	parts_alone, parts_dispatches, parts_large };

struct fixture {
	struct elf_file *file;
	const struct module_symbols *symbols;
};

static int set_up(void **state)
{
	static const char *const names[] = { "parts_" };
	struct fixture *f = calloc(1, sizeof(*f));
	const char *reason;

	assert_non_null(f);
	assert_non_null(functions[0]);
	assert_no_error(elf_file_open(
		open("/proc/self/exe", O_RDONLY), "the test", &f->file));
	assert_int_equal(
		module_symbols_get(f->file, names, 1, &f->symbols, &reason),
		RUNTIME_READY);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	module_symbols_release(f->symbols);
	elf_file_close(f->file);
	free(f);
	return 0;
}

static const struct module_symbol *symbol_of(
	const struct fixture *f, const char *name)
{
	const struct module_symbol *symbol =
		module_symbols_find(f->symbols, name);

	assert_non_null(symbol);
	return symbol;
}

static void a_part_that_the_compiler_moved_away_is_found(void **state)
{
	struct fixture *f = *state;
	const struct module_symbol *first = symbol_of(f, "parts_first");
	const struct module_symbol *moved = symbol_of(f, "parts_moved");
	struct function_parts parts;
	struct interpreter interpreter = { 0 };

	function_parts_find(f->file, first, &parts);
	assert_int_equal(parts.n, 2);
	assert_int_equal(parts.ranges[0].start, first->address);
	assert_int_equal(parts.ranges[0].end, first->address + first->size);
	assert_int_equal(parts.ranges[1].start, moved->address);
	assert_int_equal(parts.ranges[1].end, moved->address + moved->size);
	function_parts_put(&parts, 0x1000, &interpreter);
	assert_int_equal(interpreter.n_ranges, 2);
	assert_int_equal(interpreter.ranges[1].start, moved->address + 0x1000);
	assert_int_equal(interpreter.ranges[1].end,
		moved->address + moved->size + 0x1000);
}

static void a_called_function_is_no_part_of_its_caller(void **state)
{
	struct fixture *f = *state;
	struct function_parts parts;

	function_parts_find(f->file, symbol_of(f, "parts_alone"), &parts);
	assert_int_equal(parts.n, 1);
	function_parts_find(f->file, symbol_of(f, "parts_next"), &parts);
	assert_int_equal(parts.n, 1);
}

static bool has_start(
	const struct address_range *ranges, size_t n, uint64_t start)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (ranges[i].start == start)
			return true;
	return false;
}

static void functions_that_dispatch_by_indirect_jumps_are_found(void **state)
{
	struct fixture *f = *state;
	const struct module_symbol *found = symbol_of(f, "parts_dispatches");
	struct address_range ranges[64];
	size_t n = function_parts_dispatchers(f->file, 0x1000, ranges, 64);

	assert_true(has_start(ranges, n, found->address + 0x1000));
	assert_false(has_start(
		ranges, n, symbol_of(f, "parts_large")->address + 0x1000));
	assert_int_equal(
		function_parts_dispatchers(f->file, 0x1000, ranges, 0), 0);
}

static void symbols_outside_of_the_file_have_no_further_parts(void **state)
{
	struct fixture *f = *state;
	struct module_symbol symbol = { .name = "none" };
	struct function_parts parts;

	function_parts_find(f->file, &symbol, &parts);
	assert_int_equal(parts.n, 0);
	symbol.size = UINT64_MAX;
	symbol.address = 4096;
	function_parts_find(f->file, &symbol, &parts);
	assert_int_equal(parts.n, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_part_that_the_compiler_moved_away_is_found),
		TEST(a_called_function_is_no_part_of_its_caller),
		TEST(functions_that_dispatch_by_indirect_jumps_are_found),
		TEST(symbols_outside_of_the_file_have_no_further_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
	/* Parts are found in code of x86-64. */
	print_message("1..0 # SKIP needs x86_64\n");
	return 77;
}
#endif
