/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the instructions around a pc to find its frame, for code without rules
 * such as most JIT code. The instructions at the beginning of a function, where
 * the frame is incomplete, and at its end, which remove the frame, are
 * recognized. Only x86-64: runtimes on aarch64 keep frame pointers. There, only the code
 * that signal handlers return to is recognized.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

#define NEAR 64u  /* bytes of code read first */
#define FAR 4096u /* bytes searched for the start or end of a function */
/* limit of code before the frame is set up, in bytes */
#define ENTRY_MAX 24u
#define PROLOGUE_MAX 40u /* ENTRY_MAX plus pushes of all registers */
#define STEPS_MAX 16u	 /* limit of instructions in an epilogue */
#define FRAME_MAX 0x100000u

struct instructions {
	const uint8_t *at, *end;
};

static bool code_starts(
	const struct instructions *code, const char *bytes, size_t n)
{
	return (size_t)(code->end - code->at) >= n &&
		memcmp(code->at, bytes, n) == 0;
}
#define STARTS(code, bytes) code_starts(code, bytes, sizeof(bytes) - 1)

static uint32_t code_number_at(const struct instructions *code, size_t at)
{
	uint32_t number = UINT32_MAX;

	if ((size_t)(code->end - code->at) >= at + sizeof(number))
		memcpy(&number, code->at + at, sizeof(number));
	return number;
}

/*
 * Returns the length of the pop instruction at CODE, with or without prefix, or
 * 0 if there is none. pop %rsp is not part of an epilogue.
 */
static size_t pop_instruction_length(const struct instructions *code)
{
	size_t prefix = STARTS(code, "\x41");

	if ((size_t)(code->end - code->at) <= prefix ||
		(code->at[prefix] & 0xf8) != 0x58 || STARTS(code, "\x5c"))
		return 0;
	return prefix + 1;
}

/*
 * Returns the length of "add $AMOUNT, %rsp" at CODE, or 0 if there is no such
 * instruction.
 */
static size_t read_sp_addition(
	const struct instructions *code, uint32_t *amount_ret)
{
	if (STARTS(code, "\x48\x83\xc4") && code->end - code->at > 3) {
		*amount_ret = code->at[3];
		return *amount_ret < 0x80 ? 4 : 0;
	}
	if (!STARTS(code, "\x48\x81\xc4"))
		return 0;
	*amount_ret = code_number_at(code, 3);
	return *amount_ret < FRAME_MAX ? 7 : 0;
}

/*
 * Returns the length of "mov AT(%rsp), %rbp" at CODE, by which functions of Go before 1.21
 * restore the frame pointer, or 0 if there is no such instruction.
 */
static size_t read_fp_load(const struct instructions *code, uint32_t *at_ret)
{
	if (STARTS(code, "\x48\x8b\x6c\x24") && code->end - code->at > 4) {
		*at_ret = code->at[4];
		return *at_ret < 0x80 ? 5 : 0;
	}
	if (!STARTS(code, "\x48\x8b\xac\x24"))
		return 0;
	*at_ret = code_number_at(code, 4);
	return *at_ret < FRAME_MAX ? 8 : 0;
}

/*
 * Reads one instruction of an epilogue. Returns the instruction's length, or 0
 * if the instruction does not belong to an epilogue.
 */
static size_t read_epilogue_instruction(
	const struct instructions *code, struct unwind_guess *guess)
{
	uint32_t amount, at;
	size_t length = read_sp_addition(code, &amount);

	if (length) {
		guess->offset += amount;
		return length;
	}
	length = read_fp_load(code, &at);
	if (length) {
		guess->fp_at = guess->offset + at;
		guess->has_fp = guess->is_of_go = true;
		return length;
	}
	length = pop_instruction_length(code);
	if (!length) {
		/*
		 * Instructions that change neither sp nor fp: vzeroupper,
		 * HotSpot's safepoint polls, V8's check of the argument count.
		 */
		if (STARTS(code, "\x7f"))
			return 2; /* jg */
		if (STARTS(code, "\x48\x83\xf9"))
			return 4; /* cmp $N, %rcx */
		if (STARTS(code, "\xc5\xf8\x77"))
			return 3;
		if (STARTS(code, "\x49\x3b\x67"))
			return 4; /* cmp 8(%r15), %rsp */
		if (STARTS(code, "\x49\x3b\xa7"))
			return 7; /* cmp N(%r15), %rsp */
		if (STARTS(code, "\x0f\x87") || STARTS(code, "\x85\x05"))
			return 6; /* ja; test (%rip), %eax */
		return 0;
	}
	if (*code->at == 0x5d) {
		guess->fp_at = guess->offset;
		guess->has_fp = true;
	}
	guess->offset += 8;
	return length;
}

/*
 * Reads an epilogue from CODE up to the return instruction. Returns false if
 * CODE is not in an epilogue.
 */
static bool read_epilogue(struct instructions code, struct unwind_guess *ret)
{
	unsigned steps;

	*ret = (struct unwind_guess){ 0 };
	for (steps = 0; steps < STEPS_MAX; steps++) {
		size_t length;

		/* A return, or a jump to an exception handler. */
		if ((ret->has_fp && STARTS(&code, "\xe9")) ||
			STARTS(&code, "\xc3") || STARTS(&code, "\xc2") ||
			STARTS(&code, "\xf3\xc3") || STARTS(&code, "\xf2\xc3"))
			return true;
		length = read_epilogue_instruction(&code, ret);
		if (!length || (size_t)(code.end - code.at) <= length)
			return false;
		code.at += length;
	}
	return false;
}

bool unwind_ends_function(const uint8_t code[2], uint64_t next)
{
	return code[0] == 0xc3 &&
		(next % 16 == 0 || code[1] == 0xcc || code[1] == 0x90 ||
			code[1] == 0x66 || code[1] == 0x0f);
}

/* Returns true if the instruction at CODE can be the first one of an epilogue. */
static bool is_frame_removal(const struct instructions *code)
{
	struct instructions behind = *code;
	uint32_t number;

	behind.at += read_fp_load(code, &number);
	return read_sp_addition(&behind, &number) ||
		pop_instruction_length(code);
}

/*
 * Finds the next epilogue after CODE, which is at the address PC. The epilogue also describes
 * the frame at CODE, because all epilogues of a function remove the same frame. A function
 * that ends without one has no frame.
 */
static enum unwind_guess_kind search_epilogue(
	struct instructions code, uint64_t pc, struct unwind_guess *ret)
{
	const uint8_t *first = code.at;

	for (; code.at < code.end; code.at++) {
		/*
		 * "mov %rbp, %rsp; pop %rbp" or "leave; ret": the function has
		 * a frame pointer.
		 */
		if (STARTS(&code, "\x48\x89\xec\x5d") ||
			STARTS(&code, "\x48\x8b\xe5\x5d") ||
			STARTS(&code, "\xc9\xc3") || STARTS(&code, "\xc9\xc2"))
			return UNWIND_GUESS_FP;
		if (is_frame_removal(&code) && read_epilogue(code, ret))
			return UNWIND_GUESS_SP;
		if (code.end - code.at > 1 &&
			unwind_ends_function(code.at,
				pc + (uint64_t)(code.at - first) + 1)) {
			*ret = (struct unwind_guess){ 0 };
			return UNWIND_GUESS_SP;
		}
	}
	return UNWIND_GUESS_UNKNOWN;
}

/* Returns true if CODE is "sub $N, %rsp" or "mov %rsp, %rbp". */
static bool is_frame_setup(const struct instructions *code)
{
	return STARTS(code, "\x48\x83\xec") || STARTS(code, "\x48\x81\xec") ||
		STARTS(code, "\x48\x89\xe5") || STARTS(code, "\x48\x8b\xec");
}

/*
 * Returns true if CODE is "push %rbp", followed by "sub $N, %rsp" or "mov %rsp,
 * %rbp".
 */
static bool is_fp_prologue(const struct instructions *code)
{
	struct instructions behind = { code->at + 1, code->end };

	return STARTS(code, "\x55") && is_frame_setup(&behind);
}

/*
 * Returns true if CODE is in a prologue, where the frame is not set up yet, and
 * sets RET to the place of the return address. BEFORE is the byte before CODE.
 */
static bool read_prologue(
	struct instructions code, uint8_t before, struct unwind_guess *ret)
{
	unsigned n;

	*ret = (struct unwind_guess){ 0 };
	if (before == 0x55 && is_frame_setup(&code)) {
		ret->has_fp = true;
		ret->offset = 8;
		return true;
	}
	if (unwind_is_stub(code.at, (size_t)(code.end - code.at)))
		return true;
	for (n = 0; n < ENTRY_MAX && code.at < code.end; n++, code.at++) {
		if (is_fp_prologue(&code))
			return true;
		/* The byte ends another function, or is padding. */
		if (*code.at == 0xc3 || *code.at == 0xcc || *code.at == 0xc9)
			return false;
	}
	return false;
}

/*
 * Returns true if "sub $N, %rsp" follows soon after CODE, so that the frame
 * which the epilogue removes is not set up yet. Other instructions may be
 * between the pushes and the sub.
 */
static bool is_before_frame_setup(struct instructions code)
{
	const uint8_t *far =
		code.at + MIN(code.end - code.at, (ptrdiff_t)PROLOGUE_MAX);

	for (; code.at < far; code.at++)
		if (STARTS(&code, "\x48\x83\xec") ||
			STARTS(&code, "\x48\x81\xec"))
			return true;
	return false;
}

/* Finds the last prologue in CODE, which ends at the pc. */
static enum unwind_guess_kind search_prologue(
	struct instructions code, struct unwind_guess *ret)
{
	const uint8_t *first = code.at;

	for (code.at = code.end; code.at-- > first;) {
		uint32_t size = 0;

		if (!is_fp_prologue(&code))
			continue;
		/* N of "push %rbp; sub $N, %rsp": sp and the saved fp are N apart. */
		if (STARTS(&code, "\x55\x48\x83\xec") && code.end - code.at > 4)
			size = code.at[4] < 0x80 ? code.at[4] : 0;
		else if (STARTS(&code, "\x55\x48\x81\xec"))
			size = code_number_at(&code, 4);
		if (!size || size >= FRAME_MAX)
			return UNWIND_GUESS_FP;
		*ret = (struct unwind_guess){
			.has_fp = true, .fp_at = size, .offset = size + 8
		};
		return UNWIND_GUESS_SP;
	}
	return UNWIND_GUESS_UNKNOWN;
}

/*
 * Fills KNOWN from the next epilogue and the last prologue. Both may be far
 * from the pc and belong to another function, so KNOWN gets two guesses. If the
 * frame pointer is valid, the guesses are used only if both lead to the same
 * return address.
 */
static void search_function(
	const struct unwind_walk *walk, struct unwind_known_guess *known)
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[FAR];
	size_t n = space->code(space->data, walk->pc, bytes, FAR);
	struct instructions code = { bytes, bytes + n };
	enum unwind_guess_kind kind =
		search_epilogue(code, walk->pc, &known->guesses[known->n]);

	known->sets_fp = kind == UNWIND_GUESS_FP;
	if (known->sets_fp)
		return;
	known->n += kind == UNWIND_GUESS_SP;
	/* Read FAR bytes before the pc, or fewer if the mapping begins there. */
	for (n = FAR; n >= NEAR; n /= 2)
		if (space->code(space->data, walk->pc - n, bytes, n) == n)
			break;
	code = (struct instructions){ bytes, bytes + (n >= NEAR ? n : 0) };
	kind = search_prologue(code, &known->guesses[known->n]);
	known->sets_fp = kind == UNWIND_GUESS_FP;
	if (known->sets_fp)
		known->n = 0;
	if (kind != UNWIND_GUESS_SP)
		return;
	known->is_sure = known->n &&
		known->guesses[0].offset == known->guesses[1].offset;
	known->n++;
}

/* Returns true if CODE only calls rt_sigreturn(2). */
static bool is_sigreturn(
	const struct unwind_walk *walk, const struct instructions *code)
{
	if (walk->unwinder->arch == UNWIND_AARCH64) /* mov x8, #139; svc #0 */
		return STARTS(code, "\x68\x11\x80\xd2\x01\0\0\xd4");
	/* mov $15, %eax (or %rax); syscall */
	return walk->unwinder->arch == UNWIND_X86_64 &&
		(STARTS(code, "\xb8\x0f\0\0\0\x0f\x05") ||
			STARTS(code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05"));
}

/* Reads the byte before walk->pc, and the code from walk->pc on. */
void unwind_read_code(
	const struct unwind_walk *walk, struct unwind_known_guess *known)
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[1 + NEAR];
	size_t n = space->code(space->data, walk->pc - 1, bytes, sizeof(bytes));
	struct instructions code = { bytes + 1, bytes + MAX(n, (size_t)1) };

	known->n = 0;
	known->is_sure = known->sets_fp = false;
	known->is_sigreturn = is_sigreturn(walk, &code);
	if (n <= 1 || known->is_sigreturn || !unwind_has_code(walk))
		return;
	if ((walk->is_exact && read_prologue(code, bytes[0], known->guesses)) ||
		read_epilogue(code, known->guesses)) {
		known->n = 1;
		known->is_sure = true;
	} else if (!walk->is_exact || !is_before_frame_setup(code)) {
		search_function(walk, known);
	}
}

/* --- PLT stubs ------------------------------------------------------------ */

/*
 * Moves *CODE, of *N bytes, after TEXT. Returns false if *CODE does not start
 * with TEXT.
 */
static bool skip_code_bytes(
	const uint8_t **code, size_t *n, const char *text, size_t length)
{
	if (*n < length || memcmp(*code, text, length) != 0)
		return false;
	*code += length;
	*n -= length;
	return true;
}
#define SKIP(code, n, text) skip_code_bytes(code, n, text, sizeof(text) - 1)

bool unwind_is_stub(const uint8_t *code, size_t n)
{
	/*
	 * endbr64: also at the start of any function that may be called
	 * indirectly.
	 */
	if (SKIP(&code, &n, "\xf3\x0f\x1e\xfa"))
		return true;
	/* bnd; jmp *x(%rip) */
	SKIP(&code, &n, "\xf2");
	return SKIP(&code, &n, "\xff\x25");
}
