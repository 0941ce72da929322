/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disassembled code of each processor. */
#include "config.h"

#include "report/code/disassembly.h"

#include <elf.h>
#include <inttypes.h>

#include "common/util/alloc.h"
#include "tests/unit/testing.h"

#define START 0x401000u

/* Writes a line per instruction: "40100b branch ->401000 jne". */
static void put(const struct disassembly *found, struct strbuf *out)
{
	static const char *const kinds[] = { "other", "jump", "branch", "call",
		"return", "unknown" };

	strbuf_puts(out, "");
	array_each(&found->at, at) {
		strbuf_printf(
			out, "%" PRIx64 " %s ", at->address, kinds[at->kind]);
		if (at->has_target)
			strbuf_printf(out, "->%" PRIx64 " ", at->target);
		if (at->has_data)
			strbuf_printf(out, "#%" PRIx64 " ", at->data);
		strbuf_printf(out, "%s\n", disassembly_text(found, at));
	}
}

static void assert_code_in(enum disassembly_syntax syntax, unsigned machine,
	const void *bytes, size_t size, const char *expected)
{
	uint8_t *copy = exact_copy(bytes, size);
	const struct disassembly_code code = { machine, START, size, copy };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct disassembly found;
	struct error *err = disassembly_make(&code, syntax, &found);

	if (err) {
		error_free(err);
		free(copy);
		skip_without("capstone");
	}
	put(&found, &text);
	assert_string_equal(text.at, expected);
	disassembly_deinit(&found);
	free(copy);
}

#define assert_code(machine, bytes, expected) \
	assert_code_in(                       \
		DISASSEMBLY_ATT, machine, bytes, sizeof(bytes) - 1, expected)

static void x86_64_is_disassembled(void **state _unused_)
{
	static const char bytes[] = "\x48\x89\xe5"	   /* mov %rsp,%rbp */
				    "\x75\xfb"		   /* jne 401000 */
				    "\xeb\xf9"		   /* jmp 401000 */
				    "\xe8\x00\x01\x00\x00" /* call */
				    "\xff\xd0"		   /* call *%rax */
				    "\x8b\x05\x10\x00\x00\x00" /* mov rip */
				    "\xc3";

	assert_code(EM_X86_64, bytes,
		"401000 other movq   %rsp, %rbp\n"
		"401003 branch ->401000 jne\n"
		"401005 jump ->401000 jmp\n"
		"401007 call ->40110c callq\n"
		"40100c call callq  *%rax\n"
		"40100e other #401024 movl   0x10(%rip), %eax\n"
		"401014 return retq\n");
}

static void x86_64_is_disassembled_in_intel_syntax(void **state _unused_)
{
	static const char bytes[] = "\x48\x89\xe5\x75\xfb";

	assert_code_in(DISASSEMBLY_INTEL, EM_X86_64, bytes, sizeof(bytes) - 1,
		"401000 other mov    rbp, rsp\n"
		"401003 branch ->401000 jne\n");
}

static void i386_is_disassembled(void **state _unused_)
{
	static const char bytes[] = "\x55\x89\xe5\x74\xfb\xc3";

	assert_code(EM_386, bytes,
		"401000 other pushl  %ebp\n"
		"401001 other movl   %esp, %ebp\n"
		"401003 branch ->401000 je\n"
		"401005 return retl\n");
}

static void aarch64_is_disassembled(void **state _unused_)
{
	static const char bytes[] = "\xe0\x03\x01\xaa"	/* mov x0, x1 */
				    "\xe1\xff\xff\x54"	/* b.ne 401000 */
				    "\xc0\xff\xff\xb4"	/* cbz x0, 401000 */
				    "\xa3\xff\x07\x37"	/* tbnz w3, #0, */
				    "\xfc\xff\xff\x17"	/* b 401000 */
				    "\xfb\xff\xff\x97"	/* bl 401000 */
				    "\x00\x00\x1f\xd6"	/* br x0 */
				    "\xc0\x03\x5f\xd6"; /* ret */

	assert_code(EM_AARCH64, bytes,
		"401000 other mov    x0, x1\n"
		"401004 branch ->401000 b.ne\n"
		"401008 branch ->401000 cbz    x0,\n"
		"40100c branch ->401000 tbnz   w3, #0,\n"
		"401010 jump ->401000 b\n"
		"401014 call ->401000 bl\n"
		"401018 jump br     x0\n"
		"40101c return ret\n");
}

static void decoding_continues_behind_unknown_bytes(void **state _unused_)
{
	static const char x86[] = "\x06\x90\x0f";
	static const char arm[] = "\xff\xff\xff\xff\x1f\x20\x03\xd5\x00\x00";

	assert_code(EM_X86_64, x86,
		"401000 unknown (not decoded) 06\n"
		"401001 other nop\n"
		"401002 unknown (not decoded) 0f\n");
	assert_code(EM_AARCH64, arm,
		"401000 unknown (not decoded) ff ff ff ff\n"
		"401004 other nop\n"
		"401008 unknown (not decoded) 00 00\n");
}

/* capstone 5 does not know these instructions, but their size is known. */
static void unknown_vector_instructions_have_their_size(void **state _unused_)
{
	static const char bytes[] =
		"\x62\xf3\x7c\x48\x08\x44\x8f\x01\x00" /* vrndscaleph */
		"\x90"
		"\xc5\xfb\x36\xc0" /* not an instruction */
		"\x90"
		"\xc4\xe2\x78\x49\xc0" /* tilerelease */
		"\x90"
		"\x62\x71\xfe\x48"; /* the rest is missing */

	assert_code(EM_X86_64, bytes,
		"401000 unknown (not decoded) 62 f3 7c 48 08 44 "
		"8f 01 00\n"
		"401009 other nop\n"
		"40100a unknown (not decoded) c5 fb 36 c0\n"
		"40100e other nop\n"
		"40100f unknown (not decoded) c4 e2 78 49 c0\n"
		"401014 other nop\n"
		"401015 unknown (not decoded) 62\n"
		"401016 branch ->401016 jno\n"
		"401018 unknown (not decoded) 48\n");
}

static void code_of_other_processors_is_an_error(void **state _unused_)
{
	const struct disassembly_code code = { EM_S390, START, 1,
		(const uint8_t *)"" };
	struct disassembly found;
	struct error *err = disassembly_make(&code, DISASSEMBLY_ATT, &found);

	assert_non_null(err);
	assert_int_equal(found.at.n, 0);
	error_free(err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64_is_disassembled),
		cmocka_unit_test(x86_64_is_disassembled_in_intel_syntax),
		cmocka_unit_test(i386_is_disassembled),
		cmocka_unit_test(aarch64_is_disassembled),
		cmocka_unit_test(decoding_continues_behind_unknown_bytes),
		cmocka_unit_test(unknown_vector_instructions_have_their_size),
		cmocka_unit_test(code_of_other_processors_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
