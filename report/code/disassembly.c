/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/disassembly.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>

#include "common/util/alloc.h"

/*
 * The capstone library with the version of the headers: structures differ
 * between versions.
 */
#define TEXT_OF(x) #x
#define LIBRARY_OF(version) "libcapstone.so." TEXT_OF(version)
#define LIBRARY LIBRARY_OF(CS_API_MAJOR)
#define PACKAGE_OF(version) "libcapstone" TEXT_OF(version)

static struct capstone {
	typeof(cs_open) *open;
	typeof(cs_close) *close;
	typeof(cs_option) *option;
	typeof(cs_malloc) *new_instruction;
	typeof(cs_free) *free;
	typeof(cs_disasm_iter) *next;
} capstone;

static bool load_capstone(void)
{
	/* The capstone library stays loaded. */
	void *library =
		capstone.open ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return capstone.open;
	capstone = (struct capstone){
		.open = dlsym(library, "cs_open"),
		.close = dlsym(library, "cs_close"),
		.option = dlsym(library, "cs_option"),
		.new_instruction = dlsym(library, "cs_malloc"),
		.free = dlsym(library, "cs_free"),
		.next = dlsym(library, "cs_disasm_iter"),
	};
	if (!capstone.close || !capstone.option || !capstone.next ||
		!capstone.new_instruction || !capstone.free)
		capstone.open = NULL;
	return capstone.open;
}

static const struct capstone_mode {
	unsigned machine;
	cs_arch arch;
	cs_mode mode;
} modes[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM },
};

static const struct capstone_mode *find_mode(unsigned machine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (modes[i].machine == machine)
			return &modes[i];
	return NULL;
}

/* --- x86 ------------------------------------------------------------------ */

static bool is_in_capstone_group(const cs_insn *insn, uint8_t group)
{
	size_t i;

	for (i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

static enum instruction_kind x86_kind(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP: return INSTRUCTION_JUMP;
	case X86_INS_CALL:
	case X86_INS_LCALL: return INSTRUCTION_CALL;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ: return INSTRUCTION_RETURN;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
	case X86_INS_XBEGIN: return INSTRUCTION_BRANCH;
	default:
		return is_in_capstone_group(insn, CS_GRP_JUMP)
			? INSTRUCTION_BRANCH
			: INSTRUCTION_OTHER;
	}
}

static void read_x86(const cs_insn *insn, struct instruction *ret)
{
	const cs_x86 *x86 = &insn->detail->x86;
	size_t i;

	ret->kind = (uint8_t)x86_kind(insn);
	for (i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];

		if (operand->type == X86_OP_IMM && x86->op_count == 1 &&
			ret->kind != INSTRUCTION_OTHER &&
			ret->kind != INSTRUCTION_RETURN) {
			ret->target = (uint64_t)operand->imm;
			ret->has_target = true;
		}
		if (operand->type == X86_OP_MEM &&
			operand->mem.base == X86_REG_RIP) {
			ret->data = insn->address + insn->size +
				(uint64_t)operand->mem.disp;
			ret->has_data = true;
		}
	}
}

#define VEX2 0xc5u
#define VEX3 0xc4u
#define EVEX 0x62u
/* Numbers of the opcode maps 0f and 0f 3a in VEX and EVEX prefixes. */
#define MAP_0F 1u
#define MAP_0F3A 3u

/*
 * Returns the size of the VEX or EVEX prefix at AT in bytes, or 0 if there is
 * none. Sets MAP_RET to the opcode map.
 */
static size_t x86_prefix_size(const uint8_t *at, size_t left, unsigned *map_ret)
{
	if (left < 2)
		return 0;
	switch (at[0]) {
	case VEX2: *map_ret = MAP_0F; return 2;
	case VEX3: *map_ret = at[1] & 0x1f; return 3;
	case EVEX: *map_ret = at[1] & 7; return 4;
	default: return 0;
	}
}

/* Returns the size of ModRM, SIB and displacement at AT, in bytes. */
static size_t x86_operand_size(const uint8_t *at, size_t left)
{
	unsigned mode = at[0] >> 6, rm = at[0] & 7;
	bool has_sib = mode != 3 && rm == 4;
	size_t size = 1 + has_sib;

	if (has_sib && left < 2)
		return size;
	if (mode == 1)
		size += 1;
	else if (mode == 2 ||
		(mode == 0 && (rm == 5 || (has_sib && (at[1] & 7) == 5))))
		size += 4;
	return size;
}

/*
 * Returns the size of the instruction at AT, with LEFT bytes, if it is a vector
 * instruction (AVX-512 and later), which capstone may not support. The size
 * follows from the encoding. Returns 0 for other or incomplete instructions.
 */
static size_t find_x86_size(const uint8_t *at, size_t left)
{
	unsigned map = 0;
	size_t prefix = x86_prefix_size(at, left, &map), size;

	/* In VEX and EVEX encodings, a ModRM byte follows the opcode. */
	if (!prefix || left < prefix + 2)
		return 0;
	uint8_t opcode = at[prefix];
	/* The last part: an immediate operand of one byte. */
	size = prefix + 1 +
		x86_operand_size(at + prefix + 1, left - prefix - 1) +
		(map == MAP_0F3A ||
			(map == MAP_0F &&
				((opcode >= 0x70 && opcode <= 0x73) ||
					opcode == 0xc2 ||
					(opcode >= 0xc4 && opcode <= 0xc6))));
	return size <= left ? size : 0;
}

/* --- aarch64 -------------------------------------------------------------- */

static enum instruction_kind arm_kind(const cs_insn *insn)
{
	arm64_cc condition = insn->detail->arm64.cc;

	switch (insn->id) {
	case ARM64_INS_B:
		return condition == ARM64_CC_INVALID ||
				condition == ARM64_CC_AL ||
				condition == ARM64_CC_NV
			? INSTRUCTION_JUMP
			: INSTRUCTION_BRANCH;
	case ARM64_INS_BR: return INSTRUCTION_JUMP;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ: return INSTRUCTION_BRANCH;
	case ARM64_INS_BL:
	case ARM64_INS_BLR: return INSTRUCTION_CALL;
	case ARM64_INS_RET:
	case ARM64_INS_ERET: return INSTRUCTION_RETURN;
	default: return INSTRUCTION_OTHER;
	}
}

/* -------------------------------------------------------------------------- */

static void add_instruction(const struct capstone_mode *mode,
	const cs_insn *insn, struct disassembly *ret)
{
	struct instruction *instruction = array_push(&ret->at);

	instruction->address = insn->address;
	instruction->size = (uint8_t)insn->size;
	if (mode->arch == CS_ARCH_X86)
		read_x86(insn, instruction);
	else {
		/*
		 * Set the kind, and the jump target or data address, of
		 * INSTRUCTION. On aarch64, the target is the last operand.
		 */
		const cs_arm64 *arm = &insn->detail->arm64;
		const cs_arm64_op *last = arm->op_count
			? &arm->operands[arm->op_count - 1]
			: NULL;

		instruction->kind = (uint8_t)arm_kind(insn);
		if (last && last->type == ARM64_OP_IMM) {
			if (instruction->kind != INSTRUCTION_OTHER &&
				instruction->kind != INSTRUCTION_RETURN) {
				instruction->target = (uint64_t)last->imm;
				instruction->has_target = true;
			} else if (insn->id == ARM64_INS_ADR) {
				instruction->data = (uint64_t)last->imm;
				instruction->has_data = true;
			}
		}
	}
	/*
	 * Append the text of INSN to TEXTS, with aligned operands and without
	 * the jump target.
	 */
	struct strbuf *texts = &ret->texts;
	const char *comma = strrchr(insn->op_str, ',');
	size_t size = strlen(insn->op_str);

	if (instruction->has_target)
		size = comma ? (size_t)(comma - insn->op_str) + 1 : 0;

	instruction->text = (uint32_t)texts->n;
	strbuf_puts(texts, insn->mnemonic);
	if (size)
		strbuf_printf(texts, "%*s%.*s",
			(int)MAX(1, 7 - (int)strlen(insn->mnemonic)), "",
			(int)size, insn->op_str);
	strbuf_putc(texts, '\0');
}

static void run_disassembly(csh handle, const struct disassembly_code *code,
	struct disassembly *ret)
{
	const struct capstone_mode *mode = find_mode(code->machine);
	cs_insn *insn = capstone.new_instruction(handle);
	const uint8_t *at = code->at;
	uint64_t address = code->address;
	size_t left = code->size;

	while (insn && left) {
		struct instruction *unknown;

		if (capstone.next(handle, &at, &left, &address, insn)) {
			add_instruction(mode, insn, ret);
			continue;
		}
		unknown = array_push(&ret->at);
		unknown->address = address;
		unknown->kind = INSTRUCTION_UNKNOWN;
		unknown->text = (uint32_t)ret->texts.n;
		struct strbuf *texts = &ret->texts;
		/* The next instruction may begin behind a vector instruction. */
		size_t size = mode->arch == CS_ARCH_ARM64
			? 4
			: find_x86_size(at, left),
		       i;

		size = MIN(MAX(size, (size_t)1), left);

		strbuf_puts(texts, "(not decoded)");
		for (i = 0; i < size; i++)
			strbuf_printf(texts, " %02x", at[i]);
		strbuf_putc(texts, '\0');
		unknown->size = (uint8_t)size;
		at += unknown->size;
		address += unknown->size;
		left -= unknown->size;
	}
	if (insn)
		capstone.free(insn, 1);
}

struct error *disassembly_make(const struct disassembly_code *code,
	enum disassembly_syntax syntax, struct disassembly *ret)
{
	const struct capstone_mode *mode = find_mode(code->machine);
	csh handle;

	*ret = (struct disassembly){ 0 };
	if (!mode)
		return error_new(
			"cannot disassemble code of ELF machine %u: dwell "
			"supports x86 and aarch64",
			code->machine);
	if (!load_capstone())
		return error_new(
			"cannot disassemble: " LIBRARY " cannot be loaded; "
			"its Debian package is " PACKAGE_OF(CS_API_MAJOR));
	if (capstone.open(mode->arch, mode->mode, &handle) != CS_ERR_OK)
		return error_new(
			"cannot disassemble: " LIBRARY " was built without "
			"this processor");
	capstone.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (syntax == DISASSEMBLY_ATT && mode->arch == CS_ARCH_X86)
		capstone.option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	run_disassembly(handle, code, ret);
	capstone.close(&handle);
	return NULL;
}

void disassembly_deinit(struct disassembly *disassembly)
{
	array_free(&disassembly->at);
	strbuf_free(&disassembly->texts);
}
