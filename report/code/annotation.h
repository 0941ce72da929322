/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One annotated function: its instructions, their samples, source lines and
 * control flow. The views print it.
 */
#ifndef DWELL_REPORT_CODE_ANNOTATION_H
#define DWELL_REPORT_CODE_ANNOTATION_H

#include "report/code/branch_runs.h"
#include "report/code/flow.h"
#include "report/code/functions.h"
#include "report/util/annotation_style.h"

#define ANNOTATION_NONE UINT32_MAX

/* A source line and its samples. */
struct annotation_source {
	const char *file; /* borrowed from the result */
	uint32_t line;
	uint64_t samples, period;
	const char *text; /* .size bytes, borrowed from the annotator; NULL:
			     unknown */
	size_t size;
	bool may_have_changed; /* the text can be newer than the recording */
};

/* The data of one instruction. */
struct annotation_line {
	uint64_t samples, period;
	uint32_t source;     /* index in .sources; NONE: unknown */
	const char *inlined; /* inlined function it belongs to, borrowed from
				the result; or NULL */
	char *target;	     /* "name+0x12": the jump target or the address it
				accesses, if that is outside of the function;
				owned; NULL: unknown */
};

struct annotation {
	struct result *result;		   /* borrowed, as the next four */
	const struct functions *functions; /* functions of the event */
	const struct function *function;
	const char *symbol, *dso; /* printed names */
	char level;		  /* the mark of perf: '.', 'k', ... */
	struct error *problem;	  /* error if there is no code; or NULL */
	uint64_t address, size;	  /* of the function, as linked */
	uint8_t *bytes;		  /* bytes of .code; owned */
	bool is_cut;		  /* the function has more code than .code */
	struct disassembly code;
	struct flow flow;
	ARRAY(struct annotation_line) lines; /* one per instruction */
	struct annotation_sum {
		uint64_t samples, period;
	} * before; /* sums of the lines before each line, and before the end;
		       owned */
	ARRAY(struct annotation_source)
	sources; /* in the order of their first instruction */
	struct branch_block *blocks; /* one per block of .flow; owned; NULL: no
					branches were recorded */
};

struct annotation_config {
	enum disassemble_syntax syntax;
	bool has_lines; /* find source lines */
};

/* Returns the configuration for STYLE. */
static inline struct annotation_config annotation_config(
	const struct annotation_style *style)
{
	return (struct annotation_config){
		.syntax = style->is_intel ? DISASSEMBLE_INTEL : DISASSEMBLE_ATT,
		.has_lines = style->has_source || style->has_summary,
	};
}

struct annotator;

/* RESULT is as in functions_find() and borrowed until annotator_destroy(). */
struct annotator *annotator_create(struct result *result);
/* ANNOTATOR may be NULL. */
void annotator_destroy(struct annotator *annotator);

/*
 * Annotates FUNCTION, one of FUNCTIONS. The caller frees RET with
 * annotation_deinit().
 */
void annotation_make(struct annotator *annotator,
	const struct functions *functions, const struct function *function,
	const struct annotation_config *config, struct annotation *ret);
void annotation_deinit(struct annotation *annotation);

/* Returns the share of SAMPLES or PERIOD, as SHARES selects, in percent. */
double annotation_share(const struct annotation *annotation,
	const struct annotation_shares *shares, uint64_t samples,
	uint64_t period);

/*
 * Returns the share of the instructions of LOOP, each counted once, in percent.
 */
double annotation_loop_share(const struct annotation *annotation,
	const struct annotation_shares *shares, const struct flow_loop *loop);

#endif
