/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An annotation: the instructions of one function, and the samples, source
 * lines and control flow of the instructions. The views print annotations.
 */
#ifndef DWELL_REPORT_CODE_ANNOTATION_H
#define DWELL_REPORT_CODE_ANNOTATION_H

#include "report/code/branch_runs.h"
#include "report/code/flow.h"
#include "report/code/functions.h"
#include "report/util/style.h"

#define ANNOTATION_NONE UINT32_MAX
/* Further lines of a source file are not shown. */
#define ANNOTATION_FILE_LINES 20000u

struct annotation_amount {
	uint64_t samples, period;
};

/* A source line and its samples. */
struct annotation_source {
	const char *file; /* source file, borrowed from the result */
	uint32_t line;
	uint64_t samples, period; /* at instructions whose line this is */
	const char *text; /* .size bytes, borrowed from the annotator; NULL:
			     unknown */
	size_t size;
	bool may_have_changed; /* the text can be newer than the recording */
	bool is_recorded;      /* the text is from the recording */
	bool is_of_system;     /* the file is of the system's packages */
};

/* A function that is inlined into the annotated function or into another scope. */
struct annotation_scope {
	const char *name; /* borrowed from the result */
	uint32_t
		parent; /* index in .scopes; ANNOTATION_NONE: the function itself */
	uint32_t
		site; /* source line of .parent at which the function is inlined,
			     index in .sources; ANNOTATION_NONE: unknown */
};

/* The samples, source line and target of one instruction. */
struct annotation_line {
	uint64_t samples, period;
	uint32_t source; /* index in .sources of the annotation;
				ANNOTATION_NONE: unknown */
	uint32_t scope;	 /* index in .scopes of the innermost inlined function
				that contains the instruction; or ANNOTATION_NONE */
	const char *
		inlined; /* name of .scope, borrowed from the result; or NULL */
	char *target;	 /* "name+0x12": jump target outside of the
				function, or accessed data; owned; NULL:
				unknown */
};

/*
 * The samples whose stacks contain an instruction or line of a function, each sample
 * once. The arrays are owned.
 */
struct annotation_totals {
	struct annotation_amount *lines; /* by instruction */
	/*
	 * By the first of consecutive instructions of one source line:
	 * annotation_begins_run().
	 */
	struct annotation_amount *runs;
	/* By source line: also if a function is inlined at the line. */
	struct annotation_amount *sources;
};

struct annotation {
	struct result *result;		   /* borrowed, as are .functions,
					      .function, .symbol and .dso */
	const struct functions *functions; /* all functions of the event */
	const struct function *function;
	const char *symbol, *dso; /* printed names */
	char level;		  /* perf's mark of the mode: '.', 'k', ... */
	struct error *problem;	  /* reason why .code is empty; or NULL */
	uint64_t address, size;	  /* linked address and size of the function */
	uint8_t *bytes;		  /* bytes of .code; owned */
	bool is_cut;		  /* the function has more code than .code */
	struct disassembly code;
	struct flow flow;
	ARRAY(struct annotation_line) lines; /* one per instruction of .code */
	/*
	 * Sums of all lines before line i, by i; the last element has the sums of all
	 * lines; owned.
	 */
	struct annotation_amount *before;
	ARRAY(struct annotation_source)
	sources; /* in the order of the first instruction of each source line or,
		    for lines without instructions, inlined there */
	ARRAY(struct annotation_scope) scopes;
	bool has_totals;		 /* the function has visits */
	struct annotation_totals totals; /* zeroed unless .has_totals */
	struct source_lines
		*texts; /* borrowed from the annotator; NULL: no source
				       lines were requested */
	struct branch_block *blocks; /* one per block of .flow; owned; NULL: no
					branches were recorded */
};

/*
 * Returns whether instruction I has a source line, but not the line and inlined
 * function of the instruction before.
 */
bool annotation_begins_run(const struct annotation *annotation, size_t i);

struct annotation_config {
	enum disassembly_syntax syntax;
	bool has_lines; /* find source lines */
};

/* Returns the configuration for STYLE. */
static inline struct annotation_config annotation_config(
	const struct style_annotation *style)
{
	return (struct annotation_config){
		.syntax = style->is_intel ? DISASSEMBLY_INTEL : DISASSEMBLY_ATT,
		.has_lines = style->has_source || style->has_summary,
	};
}

struct annotation_maker;

/*
 * RESULT was counted (result_count()), and is borrowed until
 * annotation_maker_destroy().
 */
struct annotation_maker *annotation_maker_create(struct result *result);
/* ANNOTATOR may be NULL. */
void annotation_maker_destroy(struct annotation_maker *annotator);

/*
 * Annotates FUNCTION, one of FUNCTIONS. The caller frees RET with
 * annotation_deinit().
 */
void annotation_make(struct annotation_maker *annotator,
	const struct functions *functions, const struct function *function,
	const struct annotation_config *config, struct annotation *ret);
void annotation_deinit(struct annotation *annotation);

/*
 * Returns the text of LINE, counted from 1, of the file of SOURCE, a line of ANNOTATION
 * with a text; borrowed from the annotator. *SIZE_RET is the size of the text. Returns
 * NULL if the line is unknown: behind the end of the file or, if the text of SOURCE is
 * from the recording, also between functions.
 */
const char *annotation_file_line(const struct annotation *annotation,
	const struct annotation_source *source, uint32_t line,
	size_t *size_ret);

/*
 * Counts the totals of ANNOTATION's code for FUNCTION, which is the same function, of
 * any event. The caller frees RET with annotation_totals_deinit().
 */
void annotation_totals_count(const struct annotation *annotation,
	const struct function *function, struct annotation_totals *ret);
void annotation_totals_deinit(struct annotation_totals *totals);

/*
 * Reports, for each recording, the source files without text of all
 * annotations so far (source_lines_report_missing()).
 */
void annotation_maker_report_missing(const struct annotation_maker *annotator);

/*
 * Returns the samples that local shares are a percentage of: those whose stacks contain
 * the function or, without totals, those of the function itself.
 */
static inline struct annotation_amount annotation_whole(
	const struct annotation *annotation)
{
	const struct function *function = annotation->function;

	return annotation->has_totals
		? (struct annotation_amount){ function->total_samples,
			  function->total_period }
		: (struct annotation_amount){ function->samples,
			  function->period };
}

/*
 * Returns the samples or the period of AMOUNT as a percentage of annotation_whole() or of
 * the event's total. SHARES selects the number and the total.
 */
double annotation_share(const struct annotation *annotation,
	const struct style_shares *shares, struct annotation_amount amount);

/*
 * Returns the share of all instructions of LOOP in percent, computed as by
 * annotation_share().
 */
double annotation_loop_share(const struct annotation *annotation,
	const struct style_shares *shares, const struct flow_loop *loop);

#endif
