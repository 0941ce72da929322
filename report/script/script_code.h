/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code and data addresses as `dwell script` prints them: " symbol+0x12 (dso)".
 * The text of each address is made once, as long as all of them take no more
 * than SCRIPT_CODE_KEPT_MAX; then they are forgotten.
 */
#ifndef DWELL_REPORT_SCRIPT_SCRIPT_CODE_H
#define DWELL_REPORT_SCRIPT_SCRIPT_CODE_H

#include "common/util/array.h"
#include "common/util/strbuf.h"
#include "report/resolve/resolve.h"
#include "report/util/script_field.h"

/* Of sym, symoff and dso, any may be on; what has lines isn't remembered. */
#define SCRIPT_CODE_SHAPES 8u

#define SCRIPT_CODE_KEPT_MAX MIB(8)

struct script_code {
	struct resolver *resolver; /* borrowed */
	struct script_texts {
		struct strbuf kept;
		uint64_t forgotten; /* bytes that were before */
		ARRAY(struct script_text {
			uint64_t at; /* with the forgotten ones */
			size_t size; /* 0: it was never made */
		}) of; /* by the frame's number */
	} texts[SCRIPT_CODE_SHAPES];
};

void script_code_deinit(struct script_code *code);

/*
 * " symbol+0x12 (dso)", as far as FIELDS has sym, symoff and dso. "[unknown]"
 * stands for what isn't known.
 */
void script_code_put(struct script_code *code, struct resolved at,
	uint32_t fields, struct strbuf *out);
/* The same behind the place in the file (or in the kernel), in hex. */
void script_code_put_place(struct script_code *code, struct resolved at,
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
