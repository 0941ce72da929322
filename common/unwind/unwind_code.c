/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the instructions at a pc say of its frame, where there are no rules: so
 * it is with most code that is made at run time. Looked at are the beginning of
 * a function, where its frame isn't complete, and its end, which undoes the
 * frame. Only x86-64's; aarch64's runtimes keep frame pointers.
 */
#include "config.h"

#include "common/unwind/unwind.h"
#include "common/unwind/unwind_private.h"

#define NEAR 64u         /* bytes that are looked at first */
#define FAR 4096u        /* and where the ends of a function are searched */
#define ENTRY_MAX 24u    /* what may come before a frame is made */
#define PROLOGUE_MAX 40u /* the same, with pushes of all registers */
#define STEPS_MAX 16u    /* instructions of an end */
#define FRAME_MAX 0x100000u

struct instructions {
	const uint8_t *at, *end;
};

static bool starts(const struct instructions *code, const char *bytes, size_t n)
{
	return (size_t)(code->end - code->at) >= n &&
		memcmp(code->at, bytes, n) == 0;
}
#define STARTS(code, bytes) starts(code, bytes, sizeof(bytes) - 1)

static uint32_t number_at(const struct instructions *code, size_t at)
{
	uint32_t number = UINT32_MAX;

	if ((size_t)(code->end - code->at) >= at + sizeof(number))
		memcpy(&number, code->at + at, sizeof(number));
	return number;
}

/* With or without a prefix; into sp itself is no end. */
static size_t pop_length(const struct instructions *code)
{
	size_t prefix = STARTS(code, "\x41");

	if ((size_t)(code->end - code->at) <= prefix ||
		(code->at[prefix] & 0xf8) != 0x58 || STARTS(code, "\x5c"))
		return 0;
	return prefix + 1;
}

/* An addition to sp: its length, or 0. */
static size_t read_addition(
	const struct instructions *code, uint32_t *amount_ret)
{
	if (STARTS(code, "\x48\x83\xc4") && code->end - code->at > 3) {
		*amount_ret = code->at[3];
		return *amount_ret < 0x80 ? 4 : 0;
	}
	if (!STARTS(code, "\x48\x81\xc4"))
		return 0;
	*amount_ret = number_at(code, 3);
	return *amount_ret < FRAME_MAX ? 7 : 0;
}

/*
 * What changes neither sp nor fp: vzeroupper, HotSpot's polls, and V8's look at
 * how many arguments there are.
 */
static size_t neutral_length(const struct instructions *code)
{
	if (STARTS(code, "\x7f"))
		return 2; /* jg */
	if (STARTS(code, "\x48\x83\xf9"))
		return 4; /* cmp $N, %rcx */
	if (STARTS(code, "\xc5\xf8\x77"))
		return 3;
	if (STARTS(code, "\x49\x3b\x67"))
		return 4; /* cmp 8(%r15), %rsp */
	if (STARTS(code, "\x49\x3b\xa7"))
		return 7; /* the same, further away */
	if (STARTS(code, "\x0f\x87") || STARTS(code, "\x85\x05"))
		return 6; /* ja; test (%rip), %eax */
	return 0;
}

/* Or a jump to where an exception goes on. */
static bool is_return(
	const struct instructions *code, const struct unwind_leave *leave)
{
	return (leave->has_fp && STARTS(code, "\xe9")) ||
		STARTS(code, "\xc3") || STARTS(code, "\xc2") ||
		STARTS(code, "\xf3\xc3") || STARTS(code, "\xf2\xc3");
}

/* One instruction of an end: its length, or 0. */
static size_t read_step(
	const struct instructions *code, struct unwind_leave *leave)
{
	uint32_t amount;
	size_t length = read_addition(code, &amount);

	if (length) {
		leave->offset += amount;
		return length;
	}
	length = pop_length(code);
	if (!length)
		return neutral_length(code);
	if (*code->at == 0x5d) {
		leave->fp_at = leave->offset;
		leave->has_fp = true;
	}
	leave->offset += 8;
	return length;
}

/* From CODE straight to a return. */
static bool read_end(struct instructions code, struct unwind_leave *ret)
{
	unsigned steps;

	*ret = (struct unwind_leave){ 0 };
	for (steps = 0; steps < STEPS_MAX; steps++) {
		size_t length;

		if (is_return(&code, ret))
			return true;
		length = read_step(&code, ret);
		if (!length || (size_t)(code.end - code.at) <= length)
			return false;
		code.at += length;
	}
	return false;
}

/* mov %rbp, %rsp; pop %rbp, or leave; return: there is a frame pointer. */
static bool ends_by_fp(const struct instructions *code)
{
	return STARTS(code, "\x48\x89\xec\x5d") ||
		STARTS(code, "\x48\x8b\xe5\x5d") || STARTS(code, "\xc9\xc3") ||
		STARTS(code, "\xc9\xc2");
}

/* The next end of a function tells what all of them undo. */
static enum unwind_leave_kind search_end(
	struct instructions code, struct unwind_leave *ret)
{
	uint32_t amount;

	for (; code.at < code.end; code.at++) {
		if (ends_by_fp(&code))
			return UNWIND_LEAVE_FP;
		if (read_addition(&code, &amount) && read_end(code, ret))
			return UNWIND_LEAVE_SP;
	}
	return UNWIND_LEAVE_UNKNOWN;
}

/* sub $N, %rsp or mov %rsp, %rbp */
static bool makes_frame(const struct instructions *code)
{
	return STARTS(code, "\x48\x83\xec") || STARTS(code, "\x48\x81\xec") ||
		STARTS(code, "\x48\x89\xe5") || STARTS(code, "\x48\x8b\xec");
}

/* push %rbp, and then that */
static bool begins(const struct instructions *code)
{
	struct instructions behind = { code->at + 1, code->end };

	return STARTS(code, "\x55") && makes_frame(&behind);
}

/* At CODE, which comes behind the byte BEFORE, the frame isn't made yet. */
static bool read_entry(
	struct instructions code, uint8_t before, struct unwind_leave *ret)
{
	unsigned n;

	*ret = (struct unwind_leave){ 0 };
	if (before == 0x55 && makes_frame(&code)) {
		ret->has_fp = true;
		ret->offset = 8;
		return true;
	}
	if (unwind_is_stub(code.at, (size_t)(code.end - code.at)))
		return true;
	for (n = 0; n < ENTRY_MAX && code.at < code.end; n++, code.at++) {
		if (begins(&code))
			return true;
		/* The end of another function, or what is between them. */
		if (*code.at == 0xc3 || *code.at == 0xcc || *code.at == 0xc9)
			return false;
	}
	return false;
}

/*
 * sub $N, %rsp comes soon: what the function's end undoes isn't done yet. Between
 * pushes and that other instructions may stand.
 */
static bool is_before_frame(struct instructions code)
{
	const uint8_t *far = code.at +
		MIN(code.end - code.at, (ptrdiff_t)PROLOGUE_MAX);

	for (; code.at < far; code.at++)
		if (STARTS(&code, "\x48\x83\xec") ||
			STARTS(&code, "\x48\x81\xec"))
			return true;
	return false;
}

/* push %rbp; sub $N, %rsp: what that leaves between sp and fp. */
static uint32_t frame_size(const struct instructions *code)
{
	uint32_t size = 0;

	if (STARTS(code, "\x55\x48\x83\xec") && code->end - code->at > 4)
		size = code->at[4] < 0x80 ? code->at[4] : 0;
	else if (STARTS(code, "\x55\x48\x81\xec"))
		size = number_at(code, 4);
	return size < FRAME_MAX ? size : 0;
}

/* The beginning before CODE's end tells what was made. */
static enum unwind_leave_kind search_entry(
	struct instructions code, struct unwind_leave *ret)
{
	const uint8_t *first = code.at;

	for (code.at = code.end; code.at-- > first;) {
		uint32_t size;

		if (!begins(&code))
			continue;
		size = frame_size(&code);
		if (!size)
			return UNWIND_LEAVE_FP;
		*ret = (struct unwind_leave){ .has_fp = true, .fp_at = size,
			.offset = size + 8 };
		return UNWIND_LEAVE_SP;
	}
	return UNWIND_LEAVE_UNKNOWN;
}

/* Up to FAR bytes before the pc: what is mapped may begin there. */
static struct instructions read_before(
	const struct unwind_walk *walk, uint8_t bytes[FAR])
{
	const struct unwind_space *space = walk->space;
	size_t n;

	for (n = FAR; n >= NEAR; n /= 2)
		if (space->code(space->data, walk->pc - n, bytes, n) == n)
			return (struct instructions){ bytes, bytes + n };
	return (struct instructions){ bytes, bytes };
}

/*
 * What is far away may belong to another function. So there are two guesses,
 * which are as good as none if there is a frame pointer, unless they agree.
 */
static void search(
	const struct unwind_walk *walk, struct unwind_known_leave *known)
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[FAR];
	size_t n = space->code(space->data, walk->pc, bytes, FAR);
	struct instructions code = { bytes, bytes + n };
	enum unwind_leave_kind kind =
		search_end(code, &known->leaves[known->n]);

	if (kind == UNWIND_LEAVE_FP)
		return;
	known->n += kind == UNWIND_LEAVE_SP;
	code = read_before(walk, bytes);
	kind = search_entry(code, &known->leaves[known->n]);
	if (kind == UNWIND_LEAVE_FP)
		known->n = 0;
	if (kind != UNWIND_LEAVE_SP)
		return;
	known->is_sure = known->n &&
		known->leaves[0].offset == known->leaves[1].offset;
	known->n++;
}

/* mov $15, %eax or %rax: rt_sigreturn; syscall */
static bool is_sigreturn(const struct instructions *code)
{
	return STARTS(code, "\xb8\x0f\0\0\0\x0f\x05") ||
		STARTS(code, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05");
}

/* With one byte before the pc, and what is behind. */
void unwind_read_code(
	const struct unwind_walk *walk, struct unwind_known_leave *known)
{
	const struct unwind_space *space = walk->space;
	uint8_t bytes[1 + NEAR];
	size_t n = space->code(
		space->data, walk->pc - 1, bytes, sizeof(bytes));
	struct instructions code = { bytes + 1, bytes + MAX(n, (size_t)1) };

	known->n = 0;
	known->is_sure = false;
	known->is_sigreturn = is_sigreturn(&code);
	if (n <= 1 || known->is_sigreturn)
		return;
	if ((walk->is_exact && read_entry(code, bytes[0], known->leaves)) ||
		read_end(code, known->leaves)) {
		known->n = 1;
		known->is_sure = true;
	} else if (!walk->is_exact || !is_before_frame(code)) {
		search(walk, known);
	}
}
