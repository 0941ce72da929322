/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "common/elf/function_size.h"

#include <elf.h>

#include "common/elf/elf_private.h"
#include "common/util/bytes.h"

/* What the processor does behind an instruction. */
enum flow {
	FLOW_NEXT,     /* continues, also after a call */
	FLOW_BRANCH,   /* continues there, or at .target */
	FLOW_JUMP,     /* continues at .target */
	FLOW_END,      /* continues elsewhere, or nowhere */
	FLOW_INDIRECT, /* continues at an unknown address */
	FLOW_UNKNOWN,  /* the instruction is not known */
};

struct code_step {
	enum flow flow;
	int64_t target; /* relative to the end of the instruction */
};

/* --- x86-64 ----------------------------------------------------------------- */

/*
 * What follows an opcode (Intel SDM, volume 2, appendix A): "m" a ModRM byte, "b" 1 byte,
 * "w" 2, "z" 4 or 2, "q" 8, 4 or 2, "e" 3, "o" an address, "j" and "J" a relative target of
 * 1 and 4 bytes, "M" ModRM and "b", "Z" ModRM and "z", "g" and "G" the same only for TEST;
 * "." nothing. "p" is a prefix, "r" REX, "x" leads to the second table, "t" and "T" to
 * tables of "m" and of "M", "v" is VEX or EVEX, "!" is no instruction.
 */
static const char one_byte[] = "mmmmbz!!mmmmbz!x"
			       "mmmmbz!!mmmmbz!!"
			       "mmmmbzp!mmmmbzp!"
			       "mmmmbzp!mmmmbzp!"
			       "rrrrrrrrrrrrrrrr"
			       "................"
			       "!!vmppppzZbM...."
			       "jjjjjjjjjjjjjjjj"
			       "MZ!Mmmmmmmmmmmmm"
			       "..........!....."
			       "oooo....bz......"
			       "bbbbbbbbqqqqqqqq"
			       "MMw.vvMZe.w..b!."
			       "mmmm!!!.mmmmmmmm"
			       "jjjjbbbbJJ!j...."
			       "p.pp..gG......mm";
static const char two_bytes[] = "mmmm!.....!.!m.M"
				"mmmmmmmmmmmmmmmm"
				"mmmm!!!!mmmmmmmm"
				"........t!T!!!!!"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"MMMMmmm.mm!!mmmm"
				"JJJJJJJJJJJJJJJJ"
				"mmmmmmmmmmmmmmmm"
				"...mMm!!...mMmmm"
				"mmmmmmmmmmMmmmmm"
				"mmMmMMMm........"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm";

/* An opcode with its table: 0 is one_byte. */
struct opcode {
	uint8_t at;
	unsigned table;
	char form;
	bool is_wide, is_short, has_short_address; /* REX.W, 0x66, 0x67 */
};

/* Reads the rest of a VEX or EVEX prefix that begins with FIRST (Intel SDM 2.3, 2.7). */
static void read_vex(struct bytes *b, uint8_t first, struct opcode *op)
{
	op->table = 1;
	if (first != 0xc5)
		op->table = bytes_u8(b) & (first == 0x62 ? 7 : 31);
	bytes_u8(b);
	if (first == 0x62)
		bytes_u8(b);
	op->at = bytes_u8(b);
	op->form = op->table == 1 ? two_bytes[op->at]
		: op->table == 3  ? 'M'
		: !op->table	  ? '!'
				  : 'm';
}

static struct opcode read_opcode(struct bytes *b)
{
	struct opcode op = { 0 };

	do {
		op.at = bytes_u8(b);
		op.form = one_byte[op.at];
		op.is_wide = op.form == 'r' && op.at & 8;
		op.is_short |= op.at == 0x66;
		op.has_short_address |= op.at == 0x67;
		if (op.form == 'r') {
			op.at = bytes_u8(b);
			op.form = one_byte[op.at];
		}
	} while (b->ok && (op.form == 'p' || op.form == 'r'));
	if (op.form == 'v') {
		read_vex(b, op.at, &op);
	} else if (op.form == 'x') {
		op.table = 1;
		op.at = bytes_u8(b);
		op.form = two_bytes[op.at];
		if (op.form == 't' || op.form == 'T') {
			op.table = op.form == 't' ? 2 : 3;
			op.form = op.form == 't' ? 'm' : 'M';
			op.at = bytes_u8(b);
		}
	}
	return op;
}

/* Reads the ModRM byte, and the SIB byte and the offset that it has. Returns "reg". */
static unsigned read_modrm(struct bytes *b)
{
	uint8_t modrm = bytes_u8(b), mode = modrm >> 6, base = modrm & 7;

	if (mode == 3)
		return modrm >> 3 & 7;
	if (base == 4)
		base = bytes_u8(b) & 7;
	if (mode == 1)
		bytes_u8(b);
	else if (mode == 2 || base == 5)
		bytes_u32(b);
	return modrm >> 3 & 7;
}

static int64_t read_operands(struct bytes *b, const struct opcode *op)
{
	size_t size = op->is_short ? 2 : 4;

	switch (op->form) {
	case 'm':
	case '.': return 0;
	case 'M':
	case 'b': bytes_take(b, 1); return 0;
	case 'w': bytes_take(b, 2); return 0;
	case 'e': bytes_take(b, 3); return 0;
	case 'Z':
	case 'z': bytes_take(b, size); return 0;
	case 'q': bytes_take(b, op->is_wide ? 8 : size); return 0;
	case 'o': bytes_take(b, op->has_short_address ? 4 : 8); return 0;
	case 'j': return (int8_t)bytes_u8(b);
	case 'J': return (int32_t)bytes_u32(b);
	default: b->ok = false; return 0;
	}
}

static enum flow flow_of(const struct opcode *op, unsigned reg)
{
	if (op->table)
		return op->table == 1 && op->at == 0x0b ? FLOW_END /* ud2 */
			: op->form == 'J'		? FLOW_BRANCH
							: FLOW_NEXT;
	switch (op->at) {
	case 0x8f: return reg ? FLOW_UNKNOWN : FLOW_NEXT; /* XOP; pop */
	case 0xc2:					  /* ret */
	case 0xc3:
	case 0xcc:		     /* int3, which is padding, too */
	case 0xcf:		     /* iret */
	case 0xf4: return FLOW_END;  /* hlt */
	case 0xe8: return FLOW_NEXT; /* call */
	case 0xe9:
	case 0xeb: return FLOW_JUMP;
	case 0xff: return reg == 4 || reg == 5 ? FLOW_INDIRECT : FLOW_NEXT;
	default: return op->form == 'j' ? FLOW_BRANCH : FLOW_NEXT;
	}
}

static struct code_step read_x86_64(struct bytes *b)
{
	struct opcode op = read_opcode(b);
	struct code_step ret = { 0 };
	unsigned reg = 0;

	if (strchr("mMZgG", op.form))
		reg = read_modrm(b);
	if (op.form == 'g' || op.form == 'G')
		op.form = reg > 1 ? '.' : op.form == 'g' ? 'b' : 'z';
	ret.flow = flow_of(&op, reg);
	ret.target = read_operands(b, &op);
	if (!b->ok)
		ret.flow = FLOW_UNKNOWN;
	return ret;
}

/* --- aarch64 ---------------------------------------------------------------- */

/* Returns the signed distance in words that COUNT bits of CODE from bit FIRST on contain. */
static int64_t distance(uint32_t code, unsigned first, unsigned count)
{
	int64_t words = (int32_t)(code << (32 - first - count)) >> (32 - count);

	return (words - 1) * 4;
}

/* Arm ARM, C4.1: branches. */
static struct code_step read_aarch64(struct bytes *b)
{
	uint32_t code = bytes_u32(b);

	if (!b->ok || !(code >> 16)) /* udf */
		return (struct code_step){ FLOW_UNKNOWN, 0 };
	if ((code & 0xfc000000) == 0x14000000) /* b */
		return (struct code_step){ FLOW_JUMP, distance(code, 0, 26) };
	if ((code & 0xff000000) == 0x54000000 ||   /* b.cond */
		(code & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		return (struct code_step){ FLOW_BRANCH, distance(code, 5, 19) };
	if ((code & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return (struct code_step){ FLOW_BRANCH, distance(code, 5, 14) };
	if ((code & 0xfffff800) == 0xd61f0800 ||   /* braa */
		(code & 0xfffff000) == 0xd61f0000) /* br */
		return (struct code_step){ FLOW_INDIRECT, 0 };
	if ((code & 0xfffff000) == 0xd65f0000 ||   /* ret */
		(code & 0xffe0001f) == 0xd4200000) /* brk */
		return (struct code_step){ FLOW_END, 0 };
	return (struct code_step){ FLOW_NEXT, 0 };
}

size_t function_size(unsigned machine, const uint8_t *code, size_t n)
{
	/* Instructions are little-endian. */
	struct bytes b = bytes_of(code, n, elf_is_swapped(ELFDATA2LSB));
	int64_t furthest = 0; /* offset of the furthest target of a jump */

	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return 0;
	for (;;) {
		struct code_step next = machine == EM_X86_64 ? read_x86_64(&b)
							     : read_aarch64(&b);
		int64_t at = (int64_t)(n - bytes_left(&b));

		if (next.flow == FLOW_UNKNOWN || next.flow == FLOW_INDIRECT ||
			(next.flow == FLOW_BRANCH &&
				at + next.target >= (int64_t)n))
			return 0;
		if ((next.flow == FLOW_BRANCH || next.flow == FLOW_JUMP) &&
			at + next.target < (int64_t)n)
			furthest = MAX(furthest, at + next.target);
		if (next.flow >= FLOW_JUMP && at > furthest)
			return (size_t)at;
	}
}
