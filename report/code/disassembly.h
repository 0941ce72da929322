/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles code of x86 and aarch64 on any machine with capstone, a large
 * library that is loaded when it is first needed.
 */
#ifndef DWELL_REPORT_CODE_DISASSEMBLY_H
#define DWELL_REPORT_CODE_DISASSEMBLY_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

enum disassembly_syntax {
	DISASSEMBLY_ATT, /* AT&T syntax, the default of objdump */
	DISASSEMBLY_INTEL,
};

/* Machine code and its linked address. */
struct disassembly_code {
	unsigned machine; /* e_machine */
	uint64_t address;
	size_t size;
	const uint8_t *at; /* borrowed */
};

enum instruction_kind {
	INSTRUCTION_OTHER,
	INSTRUCTION_JUMP,   /* unconditional */
	INSTRUCTION_BRANCH, /* conditional */
	INSTRUCTION_CALL,
	INSTRUCTION_RETURN,
	INSTRUCTION_UNKNOWN, /* bytes that are no instruction */
};

struct instruction {
	uint64_t address;
	uint64_t target; /* target of a direct jump, branch or call */
	uint64_t data;	 /* address of accessed data */
	uint32_t text;	 /* offset in .texts; the text has no jump target */
	uint8_t size;
	uint8_t kind; /* enum instruction_kind */
	bool has_target, has_data;
};

/* A zero-initialized struct is empty. */
struct disassembly {
	ARRAY(struct instruction) at;
	struct strbuf texts;
};

/*
 * Disassembles CODE. Bytes that are no instruction become INSTRUCTION_UNKNOWN,
 * and decoding continues behind them. The caller frees RET with
 * disassembly_deinit().
 */
struct error *disassembly_make(const struct disassembly_code *code,
	enum disassembly_syntax syntax, struct disassembly *ret) _must_check_;
void disassembly_deinit(struct disassembly *disassembly);

static inline const char *disassembly_text(
	const struct disassembly *disassembly,
	const struct instruction *instruction)
{
	return disassembly->texts.at + instruction->text;
}

#endif
