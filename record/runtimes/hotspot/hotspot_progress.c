/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds how much of its frame a sampled compiled method has made or removed, by its
 * machine code on x86-64. The prologues and epilogues are those that C1, C2 and the
 * wrappers of native methods have in JDK 8, 11, 17, 21 and 25 to 27.
 */
#include "config.h"

#include "record/runtimes/hotspot/hotspot_private.h"

/* Returns true if CODE is "sub rsp, imm". */
static bool is_sub_rsp(const uint8_t *code)
{
	return code[0] == 0x48 && (code[1] == 0x81 || code[1] == 0x83) &&
		code[2] == 0xec;
}

/*
 * Finds "push rbp; sub rsp, imm" in the prologue of BLOB. If rbp is a frame pointer,
 * "mov rbp, rsp" is between them. Sets *PUSH_RET and *SUB_RET to the offsets of push
 * and sub.
 */
static bool find_push_and_sub(
	const struct hotspot_blob *blob, size_t *push_ret, size_t *sub_ret)
{
	static const uint8_t mov_rbp_rsp[] = { 0x48, 0x8b, 0xec };
	const uint8_t *code = blob->prologue;
	size_t i, at;

	for (i = 0; i + 7 <= sizeof(blob->prologue); i++) {
		at = i + 1;
		if (memcmp(code + at, mov_rbp_rsp, sizeof(mov_rbp_rsp)) == 0)
			at += sizeof(mov_rbp_rsp);
		if (code[i] != 0x55 || !is_sub_rsp(code + at))
			continue;
		*push_ret = i;
		*sub_ret = at;
		return true;
	}
	return false;
}

/* Number of bytes after the pc that are searched for the end of a function. */
#define EPILOGUE_SIZE 24u

/*
 * The instructions that HotSpot generates between the removal of a frame and the ret.
 * They do not change rsp: at each of them, the return address is at rsp. Most belong to
 * the poll of a safepoint (MacroAssembler::safepoint_poll()).
 */
static const struct tail_instruction {
	uint8_t size, n; /* of the instruction, of .bytes */
	uint8_t bytes[3];
} tail_instructions[] = {
	{ 3, 3, { 0xc5, 0xf8, 0x77 } }, /* vzeroupper */
	{ 7, 3, { 0x49, 0x3b, 0xa7 } }, /* cmp rsp, [r15 + x], since JDK 16 */
	{ 4, 3, { 0x49, 0x3b, 0x67 } }, /* the same with 8 bits, in JDK 25 */
	{ 6, 2, { 0x0f, 0x87 } },	/* ja */
	{ 7, 3,
		{ 0x4d, 0x8b,
			0x97 } }, /* mov r10, [r15 + x], in JDK 10 to 15 */
	{ 4, 3, { 0x4d, 0x8b, 0x57 } }, /* the same with 8 bits */
	{ 3, 3, { 0x41, 0x85, 0x02 } }, /* test [r10], eax */
	{ 6, 2, { 0x85, 0x05 } },	/* test [rip + x], eax, up to JDK 13 */
	{ 5, 3, { 0x49, 0x83, 0x7f } }, /* cmp qword [r15 + x], y */
	{ 8, 3, { 0x49, 0x83, 0xbf } }, /* the same with 32 bits */
	{ 6, 2, { 0x0f, 0x85 } },	/* jne */
};

/* Returns the size of the instruction at CODE if the table has it, or 0. */
static size_t tail_instruction_size(const uint8_t *code, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tail_instructions); i++) {
		const struct tail_instruction *tail = &tail_instructions[i];

		if (tail->size < size &&
			memcmp(code, tail->bytes, tail->n) == 0)
			return tail->size;
	}
	return 0;
}

/* Returns true if the SIZE bytes of CODE reach a ret without a change of rsp. */
static bool is_before_return(const uint8_t *code, size_t size)
{
	size_t at = 0, step = 1;

	while (step && at < size && code[at] != 0xc3) {
		step = tail_instruction_size(code + at, size - at);
		at += step;
	}
	return at < size && code[at] == 0xc3;
}

enum hotspot_progress hotspot_frame_progress(const struct hotspot_view *view,
	const struct hotspot_blob *blob, const struct runtime_frame *frame)
{
	uint8_t code[EPILOGUE_SIZE] = { 0 };

	if (!blob->frame_size)
		return HOTSPOT_FRAME_NONE;
	if (!frame->is_exact)
		return HOTSPOT_FRAME_COMPLETE;
	if (frame->pc < blob->begin + blob->frame_complete) {
		uint64_t offset = frame->pc - blob->begin;
		size_t push, sub, i;
		/*
		 * The prologue is "push rbp; sub rsp, imm" or "sub rsp, imm;
		 * mov [rsp + x], rbp".
		 */
		if (find_push_and_sub(blob, &push, &sub))
			return offset <= push	? HOTSPOT_FRAME_NONE
				: offset <= sub ? HOTSPOT_FRAME_PUSHED_FP
						: HOTSPOT_FRAME_COMPLETE;
		for (i = 0; i + 3 <= sizeof(blob->prologue); i++)
			if (is_sub_rsp(blob->prologue + i))
				return offset > i ? HOTSPOT_FRAME_UNSAVED
						  : HOTSPOT_FRAME_NONE;
		return HOTSPOT_FRAME_NONE;
	}
	if (!process_memory_read(view->memory, frame->pc, code, sizeof(code)))
		return HOTSPOT_FRAME_COMPLETE;
	if (is_before_return(code, sizeof(code)))
		return HOTSPOT_FRAME_NONE;
	/* pop rbp */
	return code[0] == 0x5d && is_before_return(code + 1, sizeof(code) - 1)
		? HOTSPOT_FRAME_PUSHED_FP
		: HOTSPOT_FRAME_COMPLETE;
}
