/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_edge.h"

#include "common/unwind/unwind_arch.h"

/* Number of bytes at the start of compiled code in which the frame is made. */
#define PROLOGUE_MAX 256u
/* Number of bytes before the pc in which an epilogue can begin. */
#define EPILOGUE_MAX 40u
/* Size of the longest instruction of x86-64. */
#define INSTRUCTION_MAX 15u
/* Limit of the bytes of arguments that builtins push for a call. */
#define ARGUMENTS_MAX 48u
/* Limit of the words that builtins without a frame push. */
#define PUSHED_MAX 3u

/* --- return addresses --------------------------------------------------------- */

/* Reads SIZE bytes of code at ADDRESS. Code of builtins needs no system call. */
static bool read_edge_code(const struct v8_edge_code *code, uint64_t address,
	uint8_t *out, size_t size)
{
	const uint8_t *known = v8_builtins_code(code->builtins, address, size);

	if (!known)
		return process_memory_read(code->memory, address, out, size);
	memcpy(out, known, size);
	return true;
}

/* Returns true if ADDRESS follows a call instruction. */
static bool follows_call(const struct v8_edge_code *code, uint64_t address)
{
	uint8_t bytes[UNWIND_CALLS_BYTES];

	return address > UNWIND_CALLS_BYTES &&
		read_edge_code(code, address - UNWIND_CALLS_BYTES, bytes,
			sizeof(bytes)) &&
		unwind_ends_with_call(UNWIND_X86_64, bytes, sizeof(bytes));
}

/*
 * Sets RET to the caller whose return address is at SLOT. Returns false if the word at
 * SLOT is not a return address.
 */
static bool take_return(const struct v8_edge_code *code,
	const struct runtime_frame *frame, uint64_t slot,
	struct runtime_frame *ret, uint64_t *slot_ret)
{
	if (!runtime_load(frame, slot, &ret->pc) ||
		!follows_call(code, ret->pc))
		return false;
	ret->sp = slot + 8;
	ret->fp = frame->fp;
	*slot_ret = slot;
	return true;
}

/* --- epilogues ---------------------------------------------------------------- */

/* Returns the size of the ModRM byte, SIB byte and displacement at CODE, in bytes. */
static size_t modrm_size(const uint8_t *code)
{
	unsigned mod = code[0] >> 6, rm = code[0] & 7;
	size_t size = 1;

	if (mod == 3)
		return size;
	if (rm == 4) {
		size++;
		if (!mod && (code[1] & 7) == 5)
			size += 4;
	} else if (!mod && rm == 5) {
		size += 4;
	}
	return size + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* The effect of an instruction of an epilogue on the return address. */
enum epilogue_action {
	ACTION_OTHER,
	ACTION_POP,    /* pops the return address to a register */
	ACTION_PUSH,   /* pushes the return address again */
	ACTION_LEAVES, /* ends the epilogue */
};

struct epilogue_step {
	size_t size; /* 0: the instruction is not known */
	enum epilogue_action action;
	unsigned reg; /* of ACTION_POP and ACTION_PUSH */
};

/*
 * Decodes one of the instructions that V8 generates between "pop rbp" and a return or
 * jump. CODE has at least INSTRUCTION_MAX bytes.
 */
static struct epilogue_step decode_epilogue(const uint8_t *code)
{
	unsigned rex = (code[0] & 0xf0) == 0x40 ? code[0] : 0;
	const uint8_t *op = code + (rex ? 1 : 0);
	size_t prefix = rex ? 1 : 0;
	unsigned high = rex & 1 ? 8 : 0;

	if ((op[0] & 0xf8) == 0x58)
		return (struct epilogue_step){ prefix + 1, ACTION_POP,
			(op[0] & 7u) + high };
	if ((op[0] & 0xf8) == 0x50)
		return (struct epilogue_step){ prefix + 1, ACTION_PUSH,
			(op[0] & 7u) + high };
	if ((op[0] & 0xf0) == 0x70)
		return (struct epilogue_step){ prefix + 2, ACTION_OTHER, 0 };
	switch (op[0]) {
	case 0xc3: /* ret */
		return (struct epilogue_step){ prefix + 1, ACTION_LEAVES, 0 };
	case 0xc2: /* ret imm16 */
		return (struct epilogue_step){ prefix + 3, ACTION_LEAVES, 0 };
	case 0xe9: /* jmp rel32 */
		return (struct epilogue_step){ prefix + 5, ACTION_LEAVES, 0 };
	case 0xff: /* jmp r/m */
		if ((op[1] >> 3 & 7) == 4)
			return (struct epilogue_step){ prefix + 1 +
					modrm_size(op + 1),
				ACTION_LEAVES, 0 };
		break;
	case 0x0f: /* jcc rel32 */
		if ((op[1] & 0xf0) == 0x80)
			return (struct epilogue_step){ prefix + 6, ACTION_OTHER,
				0 };
		break;
	case 0x3b:
	case 0x39:
	case 0x8b:
	case 0x89:
	case 0x8d: /* cmp, mov, lea */
		return (struct epilogue_step){ prefix + 1 + modrm_size(op + 1),
			ACTION_OTHER, 0 };
	case 0x83: /* with imm8 */
		return (struct epilogue_step){ prefix + 2 + modrm_size(op + 1),
			ACTION_OTHER, 0 };
	case 0x81: /* with imm32 */
		return (struct epilogue_step){ prefix + 5 + modrm_size(op + 1),
			ACTION_OTHER, 0 };
	default: break;
	}
	return (struct epilogue_step){ 0, ACTION_OTHER, 0 };
}

/*
 * Returns true if the instructions before offset END of CODE remove a frame: "mov rsp,
 * rbp; pop rbp", "add rsp, n; pop rbp" or, if HAS_LEAVE, "leave". The byte of "leave"
 * is also a part of many other instructions.
 */
static bool ends_with_leave(const uint8_t *code, size_t end, bool has_leave)
{
	static const uint8_t moves[][4] = { { 0x48, 0x8b, 0xe5, 0x5d },
		{ 0x48, 0x89, 0xec, 0x5d } };

	if (end >= 4 &&
		(memcmp(code + end - 4, moves[0], 4) == 0 ||
			memcmp(code + end - 4, moves[1], 4) == 0))
		return true;
	if (end >= 5 && code[end - 1] == 0x5d && code[end - 5] == 0x48 &&
		code[end - 4] == 0x83 && code[end - 3] == 0xc4)
		return true;
	return has_leave && end >= 1 && code[end - 1] == 0xc9;
}

/* The place of the return address in an epilogue: .reg, or the top of the stack. */
struct epilogue {
	bool is_in_register;
	unsigned reg;
};

/*
 * Decodes the instructions of CODE from offset AT to END, the offset of the pc. Returns
 * false if the instructions are not those of an epilogue that reaches END.
 */
static bool walk_epilogue(
	const uint8_t *code, size_t at, size_t end, struct epilogue *ret)
{
	*ret = (struct epilogue){ false, 0 };
	while (at < end) {
		struct epilogue_step step = decode_epilogue(code + at);

		if (!step.size || step.action == ACTION_LEAVES)
			return false;
		if (step.action == ACTION_POP && !ret->is_in_register)
			*ret = (struct epilogue){ true, step.reg };
		else if (step.action == ACTION_PUSH && ret->is_in_register &&
			step.reg == ret->reg)
			ret->is_in_register = false;
		else if (step.action != ACTION_OTHER)
			return false;
		at += step.size;
	}
	return at == end;
}

/* DWARF numbers of registers, by the numbers that instructions use. */
static const uint8_t register_numbers[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10,
	11, 12, 13, 14, 15 };

static bool take_epilogue(const struct v8_edge_code *code,
	const struct epilogue *epilogue, const struct runtime_frame *frame,
	struct runtime_frame *ret, uint64_t *slot_ret)
{
	if (!epilogue->is_in_register)
		return take_return(code, frame, frame->sp, ret, slot_ret);
	if (!frame->registers)
		return false;
	ret->pc = frame->registers->value[register_numbers[epilogue->reg]];
	ret->sp = frame->sp;
	ret->fp = frame->fp;
	*slot_ret = frame->sp - 8;
	return follows_call(code, ret->pc);
}

static bool find_epilogue(const struct v8_edge_code *code,
	const struct runtime_frame *frame, struct runtime_frame *ret,
	uint64_t *slot_ret)
{
	uint8_t bytes[EPILOGUE_MAX + INSTRUCTION_MAX] = { 0 };
	size_t n = (size_t)MIN(code->pc - code->start, (uint64_t)EPILOGUE_MAX);
	/* Only builtins that are written in assembly contain "leave". */
	const bool has_leave =
		code->builtin && code->builtin->kind != V8_BUILTIN;
	struct epilogue epilogue;
	size_t at;

	if (!read_edge_code(code, code->pc - n, bytes, n))
		return false;
	for (at = n; at > 0; at--)
		if (ends_with_leave(bytes, at, has_leave) &&
			walk_epilogue(bytes, at, n, &epilogue) &&
			take_epilogue(code, &epilogue, frame, ret, slot_ret))
			return true;
	return false;
}

/* --- prologues ---------------------------------------------------------------- */

/*
 * Sets RET to the caller if OFFSET, that of the pc, is in a prologue, whose "push rbp"
 * is at offset AT. Before the push, the return address is on top of the stack; after
 * the push, it is in the next word. Returns false if the frame is made.
 */
static bool take_prologue(const struct v8_edge_code *code, uint64_t offset,
	uint64_t at, const struct runtime_frame *frame,
	struct runtime_frame *ret, uint64_t *slot_ret)
{
	if (offset <= at)
		return take_return(code, frame, frame->sp, ret, slot_ret);
	if (offset < at + 4) /* after push rbp */
		return take_return(code, frame, frame->sp + 8, ret, slot_ret);
	return false;
}

/* Finds the caller of a builtin, or of a part of a builtin, without a frame. */
static bool take_frameless(const struct v8_edge_code *code,
	const struct runtime_frame *frame, struct runtime_frame *ret,
	uint64_t *slot_ret)
{
	/*
	 * In a builtin that makes frames, a pushed word can be an old return address.
	 */
	unsigned n = code->builtin->n_sites ? 0 : PUSHED_MAX, i;

	for (i = 0; i <= n; i++)
		if (frame->sp + 8 * i < frame->fp &&
			take_return(
				code, frame, frame->sp + 8 * i, ret, slot_ret))
			return true;
	return false;
}

/* Returns true if SITE can have made the frame at rbp. */
static bool is_frame_of_site(
	const struct v8_site *site, const struct runtime_frame *frame)
{
	uint64_t size = frame->fp - frame->sp, marker;

	if (size < site->size || size > site->size + ARGUMENTS_MAX)
		return false;
	/* The word below rbp is the frame type, a pushed Smi, or a context. */
	return runtime_load(frame, frame->fp - 8, &marker) &&
		(!site->marker || marker == site->marker);
}

static enum v8_edge_kind find_builtin_edge(const struct v8_edge_code *code,
	const struct runtime_frame *frame, struct runtime_frame *ret,
	uint64_t *slot_ret)
{
	const struct v8_builtin *builtin = code->builtin;
	uint64_t offset = code->pc - code->start;
	size_t n = MIN((size_t)builtin->n_sites, (size_t)V8_SITES_MAX), i;

	for (i = 0; i < n; i++) {
		uint64_t at = builtin->sites[i].at;

		if (offset > at && offset < at + 4 &&
			take_prologue(code, offset, at, frame, ret, slot_ret))
			return V8_EDGE_ENTRY;
		/* The pc is just after mov rbp, rsp. */
		if (offset >= at + 4 && frame->fp == frame->sp)
			return V8_EDGE_NONE;
	}
	if (find_epilogue(code, frame, ret, slot_ret))
		return V8_EDGE_EXIT;
	if (n && !builtin->sites[0].at && offset && builtin->n_sites == 1)
		return V8_EDGE_NONE;
	for (i = 0; i < n && builtin->sites[i].at < offset; i++)
		if (is_frame_of_site(&builtin->sites[i], frame))
			return V8_EDGE_NONE;
	return take_frameless(code, frame, ret, slot_ret) ? V8_EDGE_ENTRY
							  : V8_EDGE_NONE;
}

/*
 * Sets *RET to the offset of "push rbp" in compiled code or, in baseline code that
 * calls a builtin to make its frame, of the last byte of the call.
 */
static bool find_prologue(const struct v8_edge_code *code, size_t *ret)
{
	uint8_t bytes[PROLOGUE_MAX];
	size_t n = (size_t)MIN(code->end - code->start, (uint64_t)PROLOGUE_MAX);
	size_t i;

	if (!read_edge_code(code, code->start, bytes, n))
		return false;
	for (i = 0; i + 4 <= n; i++)
		if (bytes[i] == 0x55 && bytes[i + 1] == 0x48 &&
			((bytes[i + 2] == 0x89 && bytes[i + 3] == 0xe5) ||
				(bytes[i + 2] == 0x8b &&
					bytes[i + 3] == 0xec))) {
			*ret = i;
			return true;
		}
	if (!code->is_baseline)
		return false;
	/* Baseline code calls a builtin that makes the frame. */
	for (i = UNWIND_CALLS_BYTES; i <= n; i++)
		if (unwind_ends_with_call(UNWIND_X86_64,
			    bytes + i - UNWIND_CALLS_BYTES,
			    UNWIND_CALLS_BYTES) &&
			(bytes[i - 5] == 0xe8 || bytes[i - 2] == 0xff ||
				bytes[i - 3] == 0x41 || bytes[i - 7] == 0x41)) {
			*ret = i - 1;
			return true;
		}
	return false;
}

static enum v8_edge_kind find_compiled_edge(const struct v8_edge_code *code,
	const struct runtime_frame *frame, struct runtime_frame *ret,
	uint64_t *slot_ret)
{
	uint64_t offset = code->pc - code->start;
	size_t at;

	if (offset < PROLOGUE_MAX && find_prologue(code, &at)) {
		if (code->is_baseline && offset > at)
			return V8_EDGE_NONE;
		if (take_prologue(code, offset, at, frame, ret, slot_ret))
			return V8_EDGE_ENTRY;
	}
	return find_epilogue(code, frame, ret, slot_ret) ? V8_EDGE_EXIT
							 : V8_EDGE_NONE;
}

enum v8_edge_kind v8_edge_find(const struct v8_edge_code *code,
	const struct runtime_frame *frame, struct runtime_frame *ret,
	uint64_t *slot_ret)
{
	return code->builtin ? find_builtin_edge(code, frame, ret, slot_ret)
			     : find_compiled_edge(code, frame, ret, slot_ret);
}
