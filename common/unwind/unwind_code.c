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
#define REST_MAX 16 /* limit of other code in an epilogue */

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
 * instruction. 128 is added by "sub $-128, %rsp", which is shorter.
 */
static size_t read_sp_addition(
	const struct instructions *code, uint32_t *amount_ret)
{
	if (STARTS(code, "\x48\x83\xc4") && code->end - code->at > 3) {
		*amount_ret = code->at[3];
		return *amount_ret < 0x80 ? 4 : 0;
	}
	if (STARTS(code, "\x48\x83\xec\x80")) {
		*amount_ret = 128;
		return 4;
	}
	if (!STARTS(code, "\x48\x81\xc4"))
		return 0;
	*amount_ret = code_number_at(code, 3);
	return *amount_ret < FRAME_MAX ? 7 : 0;
}

/* Returns true if CODE is "sub $N, %rsp", and N is not -128. */
static bool is_sp_subtraction(const struct instructions *code)
{
	return STARTS(code, "\x48\x81\xec") ||
		(STARTS(code, "\x48\x83\xec") && code->end - code->at > 3 &&
			code->at[3] < 0x80);
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
 * Returns the length of an instruction at CODE that compilers put between the pops, or 0 if
 * there is no such instruction: mov, add, or, and, sub or xor of a register, or mov of a
 * variable, unless sp or fp are set.
 */
static size_t plain_operation_length(const struct instructions *code)
{
	size_t n = (size_t)(code->end - code->at);
	size_t prefix = n && (*code->at & 0xf0) == 0x40;
	const uint8_t *at = code->at + prefix;
	unsigned rex = prefix ? *code->at : 0, set;

	if (n < prefix + 2)
		return 0;
	if (at[1] >= 0xc0 && memchr("\x89\x01\x09\x21\x29\x31", *at, 6)) {
		set = (at[1] & 7) + (rex & 1) * 8;
		return set == 4 || set == 5 ? 0 : prefix + 2;
	}
	if ((at[1] & 0xc7) != 5 || (*at != 0x89 && *at != 0x8b))
		return 0;
	set = (at[1] >> 3 & 7) + (rex & 4) * 2;
	return *at == 0x8b && (set == 4 || set == 5) ? 0 : prefix + 6;
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
		guess->has_fp = true;
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
		return plain_operation_length(code);
	}
	if (*code->at == 0x5d) {
		guess->fp_at = guess->offset;
		guess->has_fp = true;
	}
	guess->offset += 8;
	return length;
}

/*
 * Reads an epilogue from CODE on, and moves CODE to the return instruction. Returns false if
 * CODE is not in an epilogue; then CODE is moved to an instruction that does not belong to one.
 */
static bool read_epilogue(struct instructions *code, struct unwind_guess *ret)
{
	unsigned steps;

	*ret = (struct unwind_guess){ 0 };
	for (steps = 0; steps < STEPS_MAX; steps++) {
		size_t length;

		/* A return, or a jump to an exception handler. */
		if ((ret->has_fp && STARTS(code, "\xe9")) ||
			STARTS(code, "\xc3") || STARTS(code, "\xc2") ||
			STARTS(code, "\xf3\xc3") || STARTS(code, "\xf2\xc3"))
			return true;
		length = read_epilogue_instruction(code, ret);
		if (!length || (size_t)(code->end - code->at) <= length)
			return false;
		code->at += length;
	}
	return false;
}

/*
 * Opcodes before operand bytes such as 0xc3, %eax and %ebx: add, or, adc, sbb, and, sub, xor,
 * cmp, movslq, imul, test, xchg, mov, movzb, movsb, shifts, neg; and jmp, whose distance may
 * be 0xc3.
 */
static const char before_operands[] =
	"\x01\x03\x09\x0b\x11\x13\x19\x1b\x21\x23\x29\x2b\x31\x33\x39\x3b"
	"\x63\x69\x6b\x81\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\xaf\xb6\xb7"
	"\xbe\xbf\xc1\xd1\xd3\xeb\xf7";

/* Returns true if int3 or nop is at CODE. */
static bool is_padding(const uint8_t code[3])
{
	switch (code[0]) {
	case 0xcc:
	case 0x90: return true;
	case 0x0f: return code[1] == 0x1f;
	case 0x66:
		return code[1] == 0x90 || code[1] == 0x66 ||
			((code[1] == 0x0f || code[1] == 0x2e) &&
				(code[2] == 0x1f || code[2] == 0x0f));
	default: return false;
	}
}

bool unwind_ends_function(const uint8_t code[5], uint64_t next)
{
	return code[1] == 0xc3 &&
		(is_padding(code + 2) ||
			(next % 16 == 0 &&
				!memchr(before_operands, code[0],
					sizeof(before_operands) - 1)));
}

/*
 * Returns true if the byte at AT, behind the byte FIRST, is the opcode of an SSE or AVX
 * instruction: mulsd is "0f 59", and pop %rcx is "59".
 */
static bool is_sse_opcode(const uint8_t *first, const uint8_t *at)
{
	ptrdiff_t n = at - first;

	return (n > 0 && at[-1] == 0x0f) || (n > 1 && at[-2] == 0xc5) ||
		(n > 2 && at[-3] == 0xc4);
}

/*
 * Returns true if the instruction at CODE can be the first one of an epilogue. A pop before an
 * addition to sp is part of another instruction.
 */
static bool is_frame_removal(const struct instructions *code)
{
	struct instructions behind = *code;
	size_t length = pop_instruction_length(code);
	uint32_t number;

	behind.at += length ? length : read_fp_load(code, &number);
	return !length == !!read_sp_addition(&behind, &number);
}

/*
 * Returns true if CODE is "mov %rbp, %rsp; pop %rbp", "leave; ret" or "lea N(%rbp), %rsp":
 * the function has a frame pointer.
 */
static bool is_fp_epilogue(const struct instructions *code)
{
	return STARTS(code, "\x48\x89\xec\x5d") ||
		STARTS(code, "\x48\x8b\xe5\x5d") || STARTS(code, "\xc9\xc3") ||
		STARTS(code, "\xc9\xc2") || STARTS(code, "\x48\x8d\x65") ||
		STARTS(code, "\x48\x8d\xa5");
}

/* Returns true if CODE is "sub $N, %rsp" or "mov %rsp, %rbp". */
static bool is_frame_setup(const struct instructions *code)
{
	return is_sp_subtraction(code) || STARTS(code, "\x48\x89\xe5") ||
		STARTS(code, "\x48\x8b\xec");
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
 * Returns true if a function probably begins at CODE, which is at the address PC and behind the
 * byte FIRST, or shortly before: pushes, "sub $N, %rsp" behind a push, or behind a push and
 * a "mov"; or an aligned address behind padding.
 */
static bool is_function_start(
	const struct instructions *code, const uint8_t *first, uint64_t pc)
{
	const uint8_t *at = code->at;
	size_t n = (size_t)(code->end - at);

	if (at == first)
		return false;
	if (is_sp_subtraction(code))
		return pc % 16 == 0 || (at[-1] & 0xf8) == 0x50 ||
			(at - first > 4 && at[-2] == 0x89 &&
				(at[-4] & 0xf8) == 0x50);
	if (is_fp_prologue(code) ||
		(n >= 4 && at[0] == 0x41 && (at[1] & 0xf8) == 0x50 &&
			at[2] == 0x41 && (at[3] & 0xf8) == 0x50))
		return true;
	return pc % 16 == 0 &&
		(STARTS(code, "\xf3\x0f\x1e\xfa") ||
			(n > 1 && (at[*at == 0x41] & 0xf8) == 0x50 &&
				memchr("\0\x90\xc3\xcc", at[-1], 4)));
}

/*
 * The beginning of an epilogue, with an addition to sp, of which the rest is behind other
 * instructions.
 */
struct begun_epilogue {
	const uint8_t *end; /* NULL: none */
	struct unwind_guess guess;
};

/*
 * Reads an epilogue whose first instruction is at CODE, behind the byte FIRST, as
 * read_epilogue(). BEGUN, at first empty, is kept for the code behind CODE.
 */
static bool read_whole_epilogue(struct instructions *code, const uint8_t *first,
	struct begun_epilogue *begun, struct unwind_guess *ret)
{
	const uint8_t *at = code->at;
	bool is_rest = begun->end && at >= begun->end &&
		at - begun->end <= REST_MAX && pop_instruction_length(code);
	struct instructions behind = *code;
	bool is_whole;

	if (!is_frame_removal(code) || is_sse_opcode(first, at))
		return false;
	is_whole = read_epilogue(&behind, ret);
	if (is_rest) {
		ret->has_fp |= begun->guess.has_fp;
		ret->fp_at = begun->guess.has_fp
			? begun->guess.fp_at
			: ret->fp_at + begun->guess.offset;
		ret->offset += begun->guess.offset;
	}
	if (is_whole)
		*code = behind;
	else if (is_rest || !pop_instruction_length(code))
		*begun = (struct begun_epilogue){ behind.at, *ret };
	return is_whole;
}

/*
 * Adds to KNOWN the frame that the next epilogue after CODE, at the address PC, removes. The
 * frame is also that at CODE, because all epilogues of a function remove the same frame. If
 * the function may end before, it may have no frame, which is added first. Returns true if
 * the function has a frame pointer.
 */
static bool search_epilogue(
	struct instructions code, uint64_t pc, struct unwind_known_guess *known)
{
	const uint8_t *first = code.at;
	struct begun_epilogue begun = { 0 };

	for (; code.at < code.end; code.at++) {
		uint64_t at = pc + (uint64_t)(code.at - first);

		if (is_fp_epilogue(&code))
			return !known->n;
		if (is_function_start(&code, first, at))
			return false;
		if (read_whole_epilogue(
			    &code, first, &begun, &known->guesses[known->n])) {
			known->n++;
			return false;
		}
		/* Behind 0x58 to 0x5f, it is part of an SSE instruction. */
		if (!known->n && code.at > first && code.end - code.at > 3 &&
			(code.at[-1] & 0xf8) != 0x58 &&
			unwind_ends_function(code.at - 1, at + 1))
			known->guesses[known->n++] = (struct unwind_guess){ 0 };
	}
	return false;
}

/*
 * Finds the last epilogue in CODE, which ends at the address PC, behind the last beginning of a
 * function. *IS_BEGUN_RET: a function begins in CODE.
 */
static enum unwind_guess_kind search_last_epilogue(struct instructions code,
	uint64_t pc, struct unwind_guess *ret, bool *is_begun_ret)
{
	const uint8_t *first = code.at;
	struct begun_epilogue begun = { 0 };
	enum unwind_guess_kind kind = UNWIND_GUESS_UNKNOWN;

	*is_begun_ret = false;
	for (; code.at < code.end; code.at++) {
		struct unwind_guess guess;

		if (is_function_start(&code, first,
			    pc - (uint64_t)(code.end - code.at))) {
			*is_begun_ret = true;
			kind = UNWIND_GUESS_UNKNOWN;
			begun = (struct begun_epilogue){ 0 };
		}
		if (is_fp_epilogue(&code))
			kind = UNWIND_GUESS_FP;
		/* The pops behind "lea N(%rbp), %rsp" are no epilogue of their own. */
		if (!read_whole_epilogue(&code, first, &begun, &guess) ||
			kind == UNWIND_GUESS_FP)
			continue;
		*ret = guess;
		kind = UNWIND_GUESS_SP;
	}
	return kind;
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
 * Returns true if "sub $N, %rsp" follows soon after CODE and before "add $N, %rsp; ret", so
 * that the frame which the epilogue removes is not set up yet. Other instructions may be
 * between the pushes and the sub.
 */
static bool is_before_frame_setup(struct instructions code)
{
	const uint8_t *far =
		code.at + MIN(code.end - code.at, (ptrdiff_t)PROLOGUE_MAX);

	for (; code.at < far; code.at++) {
		struct instructions behind = code;
		struct unwind_guess guess;
		uint32_t amount;

		if (is_sp_subtraction(&code))
			return true;
		if (read_sp_addition(&code, &amount) &&
			read_epilogue(&behind, &guess))
			return false;
	}
	return false;
}

/* Returns true if CODE is "mov %rbp, N(%rsp); lea N(%rsp), %rbp", as in Go before 1.21. */
static bool is_go_prologue(const struct instructions *code)
{
	const uint8_t *at = code->at;

	if (code->end - at >= 10 && STARTS(code, "\x48\x89\x6c\x24"))
		return memcmp(at + 5, "\x48\x8d\x6c\x24", 4) == 0 &&
			at[4] == at[9];
	return code->end - at >= 16 && STARTS(code, "\x48\x89\xac\x24") &&
		memcmp(at + 8, "\x48\x8d\xac\x24", 4) == 0 &&
		memcmp(at + 4, at + 12, 4) == 0;
}

/*
 * Returns true if CODE is "push %rbp", pushes, "sub $N, %rsp" or not, and "lea M(%rsp), %rbp",
 * where M makes %rbp point to its saved value, as in .NET.
 */
static bool is_lea_prologue(struct instructions code)
{
	uint32_t size = 0;

	if (!STARTS(&code, "\x55"))
		return false;
	for (code.at++; code.at < code.end && size < 16 * 8;
		code.at++, size += 8) {
		code.at += STARTS(&code, "\x41");
		if (code.at == code.end || (*code.at & 0xf8) != 0x50)
			break;
	}
	if (STARTS(&code, "\x48\x81\xec")) {
		size += code_number_at(&code, 3);
		code.at += MIN(code.end - code.at, (ptrdiff_t)7);
	} else if (is_sp_subtraction(&code)) {
		size += code.at[3];
		code.at += 4;
	}
	if (STARTS(&code, "\x48\x8d\x6c\x24") && code.end - code.at > 4)
		return code.at[4] == size;
	return STARTS(&code, "\x48\x8d\xac\x24") &&
		code_number_at(&code, 4) == size;
}

/*
 * Returns true if "mov %rsp, %rbp" is at AT, and shortly before is "push %rbp" in CODE, with
 * no push between.
 */
static bool is_late_frame_setup(
	const struct instructions *code, const uint8_t *at)
{
	const struct instructions here = { at, code->end };
	const uint8_t *first = at - MIN(at - code->at, (ptrdiff_t)ENTRY_MAX);

	if (!STARTS(&here, "\x48\x89\xe5"))
		return false;
	while (at-- > first)
		if ((*at & 0xf8) == 0x50)
			return *at == 0x55;
	return false;
}

/*
 * Returns true if a function may end with the byte AT of CODE, which ends at the address PC: also
 * if a pop or leave instruction is before the return instruction.
 */
static bool ends_before(
	const struct instructions *code, const uint8_t *at, uint64_t pc)
{
	bool is_pop;

	if (at == code->at || code->end - at < 4)
		return false;
	is_pop = (at[-1] & 0xf8) == 0x58;
	if (is_pop && is_sse_opcode(code->at, at - 1))
		return false;
	return unwind_ends_function(
		       at - 1, pc - (uint64_t)(code->end - at) + 1) ||
		((*at == 0xc3 || *at == 0xc2) && (is_pop || at[-1] == 0xc9));
}

/*
 * Finds the last prologue in CODE, which ends at the address PC. *IS_FAR_RET: a function may
 * end between the prologue and PC.
 */
static enum unwind_guess_kind search_prologue(const struct instructions *all,
	uint64_t pc, struct unwind_guess *ret, bool *is_far_ret)
{
	struct instructions code = { all->end, all->end };

	*is_far_ret = false;
	while (code.at-- > all->at) {
		uint32_t size = 0;

		if (is_go_prologue(&code) || is_lea_prologue(code) ||
			is_late_frame_setup(all, code.at))
			return UNWIND_GUESS_FP;
		*is_far_ret |= ends_before(all, code.at, pc);
		if (!is_fp_prologue(&code))
			continue;
		/* N of "push %rbp; sub $N, %rsp": sp and the saved fp are N apart. */
		if (STARTS(&code, "\x55\x48\x83\xec") && code.end - code.at > 4)
			size = code.at[4];
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
 * Fills KNOWN from the next epilogue and the last prologue. Both may be far from the pc and
 * belong to other functions, so KNOWN gets a guess of each. A prologue before the end of a
 * function is used only if there is no epilogue. If neither is found, the function may set the
 * frame pointer.
 */
static void search_function(
	const struct unwind_walk *walk, struct unwind_known_guess *known)
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[FAR];
	size_t n = space->code(space->data, walk->pc, bytes, FAR);
	struct instructions code = { bytes, bytes + n };
	struct unwind_guess guess;
	enum unwind_guess_kind kind;
	bool is_far, is_begun;

	if (search_epilogue(code, walk->pc, known))
		return;
	/* Read FAR bytes before the pc, or fewer if the mapping begins there. */
	for (n = FAR; n >= NEAR; n /= 2)
		if (space->code(space->data, walk->pc - n, bytes, n) == n)
			break;
	code = (struct instructions){ bytes, bytes + (n >= NEAR ? n : 0) };
	/* The function may end with a jump back to its epilogue. */
	is_begun = false;
	if (!known->n || (known->n == 1 && !known->guesses[0].offset)) {
		kind = search_last_epilogue(code, walk->pc, &guess, &is_begun);
		if (kind == UNWIND_GUESS_FP && !known->n)
			return;
		if (kind == UNWIND_GUESS_SP)
			known->guesses[known->n++] = guess;
	}
	kind = search_prologue(&code, walk->pc, &guess, &is_far);
	known->lacks_fp =
		known->n || kind == UNWIND_GUESS_SP || is_begun || is_far;
	known->is_sure = known->n && !is_far && kind == UNWIND_GUESS_SP &&
		known->guesses[0].offset == guess.offset;
	if (is_far && known->n)
		return;
	if (kind == UNWIND_GUESS_SP)
		known->guesses[known->n++] = guess;
	if (kind != UNWIND_GUESS_FP)
		return;
	known->lacks_fp = false;
	known->n = 0;
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
	known->is_sure = known->lacks_fp = known->is_refused = false;
	known->is_inside = false;
	known->start = 0;
	known->is_sigreturn = is_sigreturn(walk, &code);
	if (n <= 1 || known->is_sigreturn || !unwind_has_code(walk))
		return;
	if ((walk->is_exact && read_prologue(code, bytes[0], known->guesses)) ||
		read_epilogue(&code, known->guesses)) {
		known->n = 1;
		known->is_sure = known->lacks_fp = true;
	} else {
		search_function(walk, known);
		/* The frame that the epilogue removes is not there yet. */
		if (walk->is_exact && is_before_frame_setup(code)) {
			known->n = 0;
			known->is_sure = false;
			known->lacks_fp = true;
		}
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
