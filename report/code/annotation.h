/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function as views show it: its instructions, what was sampled at each,
 * where they were written, how control flows. It knows nothing of how it is
 * shown.
 */
#ifndef DWELL_REPORT_CODE_ANNOTATION_H
#define DWELL_REPORT_CODE_ANNOTATION_H

#include "report/code/branch_blocks.h"
#include "report/code/flow.h"
#include "report/code/functions.h"
#include "report/util/annotation_style.h"

#define ANNOTATION_NONE UINT32_MAX

/* A line of source code, and what was sampled of it. */
struct annotation_source {
	const char *file; /* borrowed from the result */
	uint32_t line;
	uint64_t samples, period;
	const char *text; /* .size bytes, borrowed from the annotator; NULL:
			   * there is none */
	size_t size;
	bool may_have_changed; /* the text, since it was recorded */
};

/* What there is to say of an instruction beside itself. */
struct annotation_line {
	uint64_t samples, period;
	uint32_t source;     /* in .sources; NONE: nobody tells */
	const char *inlined; /* the function that it was written in, if that is
			      * another one; borrowed from the result */
	char *target;        /* "name+0x12": where it jumps to, or what it asks
			      * for, outside; owned; NULL: it has no name */
};

struct annotation {
	struct result *result;           /* these are borrowed */
	const struct functions *functions; /* of its event */
	const struct function *function;
	const char *symbol, *dso;        /* as they are shown */
	char level;                      /* '.', 'k', ...: as perf marks it */
	struct error *problem;           /* why there is no code; or NULL */
	uint64_t address, size;          /* of the function, as linked */
	uint8_t *bytes;                  /* owned; of its first .code bytes */
	bool is_cut;                     /* there is more code than is shown */
	struct disassembly code;
	struct flow flow;
	ARRAY(struct annotation_line) lines;     /* one per instruction */
	struct annotation_sum {
		uint64_t samples, period;
	} *before; /* owned; of all lines before one, and before the end */
	ARRAY(struct annotation_source) sources; /* as they first come */
	struct branch_block *blocks; /* owned; one per block of .flow; NULL: no
				      * branches of it were recorded */
};

struct annotation_wish {
	enum disassemble_syntax syntax;
	bool has_lines; /* where it was written is asked for */
};

/* What is shown as STYLE says. */
static inline struct annotation_wish annotation_wish(
	const struct annotation_style *style)
{
	return (struct annotation_wish){
		.syntax = style->is_intel ? DISASSEMBLE_INTEL : DISASSEMBLE_ATT,
		.has_lines = style->has_source || style->has_summary,
	};
}

struct annotator;

/* RESULT, as for functions_find(), is borrowed for the life of it. */
struct annotator *annotator_create(struct result *result);
/* NULL is fine. */
void annotator_destroy(struct annotator *annotator);

/* FUNCTION is one of FUNCTIONS. RET is to be deinited. */
void annotation_make(struct annotator *annotator,
	const struct functions *functions, const struct function *function,
	const struct annotation_wish *wish, struct annotation *ret);
void annotation_deinit(struct annotation *annotation);

/* In percent. */
double annotation_share(const struct annotation *annotation,
	const struct annotation_shares *shares, uint64_t samples,
	uint64_t period);

/* The share of LOOP's instructions, each counted once. */
double annotation_loop_share(const struct annotation *annotation,
	const struct annotation_shares *shares, const struct flow_loop *loop);

#endif
