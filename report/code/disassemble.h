/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes of code as instructions: of x86 and aarch64, whatever this machine is.
 * capstone, which is large, is loaded when it is first needed.
 */
#ifndef DWELL_REPORT_CODE_DISASSEMBLE_H
#define DWELL_REPORT_CODE_DISASSEMBLE_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

enum disassemble_syntax {
	DISASSEMBLE_ATT, /* as objdump does by default */
	DISASSEMBLE_INTEL,
};

/* Code as it is linked at .address. */
struct code {
	unsigned machine; /* e_machine */
	uint64_t address;
	size_t size;
	const uint8_t *at; /* borrowed */
};

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_JUMP,   /* always */
	INSTRUCTION_BRANCH, /* or not */
	INSTRUCTION_CALL,
	INSTRUCTION_RETURN,
	INSTRUCTION_UNKNOWN, /* bytes that are no instruction */
};

struct instruction {
	uint64_t address;
	uint64_t target; /* where a direct jump, branch or call goes to */
	uint64_t data;   /* what else is told from here: its address */
	uint32_t text;   /* in .texts, without the target */
	uint8_t size;
	uint8_t kind;    /* enum instruction_kind */
	bool has_target, has_data;
};

/* A zeroed one is empty. */
struct disassembly {
	ARRAY(struct instruction) at;
	struct strbuf texts;
};

/* Bytes that are no instruction are told as such, and the next ones tried. */
struct error *disassemble(const struct code *code,
	enum disassemble_syntax syntax, struct disassembly *ret) _must_check_;
void disassembly_deinit(struct disassembly *disassembly);

static inline const char *disassembly_text(
	const struct disassembly *disassembly,
	const struct instruction *instruction)
{
	return disassembly->texts.at + instruction->text;
}

#endif
