/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/code/disassemble.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <elf.h>

#include "common/util/alloc.h"
#include "report/code/x86_size.h"

/* The one whose headers these are: its structures change between versions. */
#define TEXT_OF(x) #x
#define LIBRARY_OF(version) "libcapstone.so." TEXT_OF(version)
#define LIBRARY LIBRARY_OF(CS_API_MAJOR)

static struct capstone {
	typeof(cs_open) *open;
	typeof(cs_close) *close;
	typeof(cs_option) *option;
	typeof(cs_malloc) *new_instruction;
	typeof(cs_free) *free;
	typeof(cs_disasm_iter) *next;
} capstone;

static bool load(void)
{
	/* It stays loaded for the next function. */
	void *library = capstone.open
		? NULL
		: dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

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

static const struct mode {
	unsigned machine;
	cs_arch arch;
	cs_mode mode;
} modes[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM },
};

static const struct mode *find_mode(unsigned machine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (modes[i].machine == machine)
			return &modes[i];
	return NULL;
}

static struct error *begin(const struct code *code,
	enum disassemble_syntax syntax, csh *ret)
{
	const struct mode *mode = find_mode(code->machine);

	if (!mode)
		return error_new("instructions of this processor (ELF machine "
				 "%u) can't be read; dwell knows those of x86 "
				 "and aarch64",
			code->machine);
	if (!load())
		return error_new("instructions can't be read: " LIBRARY
				 " can't be loaded (Debian's package is "
				 "libcapstone4)");
	if (capstone.open(mode->arch, mode->mode, ret) != CS_ERR_OK)
		return error_new("instructions can't be read: " LIBRARY
				 " was built without this processor");
	capstone.option(*ret, CS_OPT_DETAIL, CS_OPT_ON);
	if (syntax == DISASSEMBLE_ATT && mode->arch == CS_ARCH_X86)
		capstone.option(*ret, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return NULL;
}

/* --- x86 ------------------------------------------------------------------ */

static bool is_in_group(const cs_insn *insn, uint8_t group)
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
		return is_in_group(insn, CS_GRP_JUMP) ? INSTRUCTION_BRANCH
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

/* The target stands last. */
static void read_arm(const cs_insn *insn, struct instruction *ret)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	const cs_arm64_op *last =
		arm->op_count ? &arm->operands[arm->op_count - 1] : NULL;

	ret->kind = (uint8_t)arm_kind(insn);
	if (!last || last->type != ARM64_OP_IMM)
		return;
	if (ret->kind != INSTRUCTION_OTHER &&
		ret->kind != INSTRUCTION_RETURN) {
		ret->target = (uint64_t)last->imm;
		ret->has_target = true;
	} else if (insn->id == ARM64_INS_ADR) {
		ret->data = (uint64_t)last->imm;
		ret->has_data = true;
	}
}

/* -------------------------------------------------------------------------- */

/* Of operands that end with the target, without that. */
static size_t before_target(const char *operands)
{
	const char *comma = strrchr(operands, ',');

	return comma ? (size_t)(comma - operands) + 1 : 0;
}

/* "mov     %rax, %rbx": operands stand below each other. */
static uint32_t put_text(struct strbuf *texts, const cs_insn *insn,
	const struct instruction *instruction)
{
	uint32_t at = (uint32_t)texts->n;
	size_t size = instruction->has_target
		? before_target(insn->op_str)
		: strlen(insn->op_str);

	strbuf_puts(texts, insn->mnemonic);
	if (size)
		strbuf_printf(texts, "%*s%.*s",
			(int)MAX(1, 7 - (int)strlen(insn->mnemonic)), "",
			(int)size, insn->op_str);
	strbuf_putc(texts, '\0');
	return at;
}

/* Bytes up to the next instruction that there may be. */
static size_t unknown_size(
	const struct mode *mode, const uint8_t *at, size_t left)
{
	size_t size = mode->arch == CS_ARCH_ARM64 ? 4 : x86_size(at, left);

	return MIN(MAX(size, (size_t)1), left);
}

static uint8_t put_unknown(const struct mode *mode, const uint8_t *at,
	size_t left, struct strbuf *texts)
{
	size_t size = unknown_size(mode, at, left), i;

	strbuf_puts(texts, ".byte  ");
	for (i = 0; i < size; i++)
		strbuf_printf(texts, "%s0x%02x", i ? ", " : "", at[i]);
	strbuf_putc(texts, '\0');
	return (uint8_t)size;
}

static void take(const struct mode *mode, const cs_insn *insn,
	struct disassembly *ret)
{
	struct instruction *instruction = array_push(&ret->at);

	instruction->address = insn->address;
	instruction->size = (uint8_t)insn->size;
	if (mode->arch == CS_ARCH_X86)
		read_x86(insn, instruction);
	else
		read_arm(insn, instruction);
	instruction->text = put_text(&ret->texts, insn, instruction);
}

static void run(csh handle, const struct code *code, struct disassembly *ret)
{
	const struct mode *mode = find_mode(code->machine);
	cs_insn *insn = capstone.new_instruction(handle);
	const uint8_t *at = code->at;
	uint64_t address = code->address;
	size_t left = code->size;

	while (insn && left) {
		struct instruction *unknown;

		if (capstone.next(handle, &at, &left, &address, insn)) {
			take(mode, insn, ret);
			continue;
		}
		unknown = array_push(&ret->at);
		unknown->address = address;
		unknown->kind = INSTRUCTION_UNKNOWN;
		unknown->text = (uint32_t)ret->texts.n;
		unknown->size = put_unknown(mode, at, left, &ret->texts);
		at += unknown->size;
		address += unknown->size;
		left -= unknown->size;
	}
	if (insn)
		capstone.free(insn, 1);
}

struct error *disassemble(const struct code *code,
	enum disassemble_syntax syntax, struct disassembly *ret)
{
	struct error *err;
	csh handle;

	*ret = (struct disassembly){ 0 };
	err = begin(code, syntax, &handle);
	if (err)
		return err;
	run(handle, code, ret);
	capstone.close(&handle);
	return NULL;
}

void disassembly_deinit(struct disassembly *disassembly)
{
	array_free(&disassembly->at);
	strbuf_free(&disassembly->texts);
}
