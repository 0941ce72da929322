/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code and data addresses as `dwell script` prints them: " symbol+0x12 (dso)".
 * The text of each address is made once.
 */
#ifndef DWELL_REPORT_SCRIPT_CODE_H
#define DWELL_REPORT_SCRIPT_CODE_H

#include "common/array.h"
#include "common/strbuf.h"
#include "report/resolve.h"
#include "report/script_field.h"

/* Of sym, symoff and dso, any may be on. */
#define SCRIPT_CODE_SHAPES 8u

struct script_code {
	struct resolver *resolver; /* borrowed */
	ARRAY(char *) texts[SCRIPT_CODE_SHAPES]; /* by frame's number; owned */
};

void script_code_deinit(struct script_code *code);

/* Right-aligned in 16 columns. */
void script_code_put_hex(struct strbuf *out, uint64_t value);

/*
 * " symbol+0x12 (dso)", as far as FIELDS has sym, symoff and dso. "[unknown]"
 * stands for what isn't known.
 */
void script_code_put(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out);

/*
 * An address of data, or of a branch's end: in SPACE, or else in the kernel,
 * whatever mode it was met in.
 */
struct resolved script_code_find(
	struct script_code *code, uint32_t space, uint64_t address);

/*
 * A branch's end: "0x12(dso)", "symbol+0x12(dso)" or, with brstackoff, its
 * place in the file.
 */
void script_code_put_end(struct script_code *code, uint32_t space,
	uint64_t address, enum script_field style, bool has_dso,
	struct strbuf *out);

#endif
