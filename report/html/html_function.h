/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes one annotated function of the section "code" (html_code.h). */
#ifndef DWELL_REPORT_HTML_HTML_FUNCTION_H
#define DWELL_REPORT_HTML_HTML_FUNCTION_H

#include "report/code/annotation.h"

/*
 * The samples at one address of a function, of one thread and time slice, for
 * selections of threads and times in the page.
 */
struct html_part {
	uint32_t entry, event; /* entry: index in the section "code"; event:
			        * number in the result */
	uint32_t cell;	       /* first cell of the same event, slice, thread */
	uint64_t place;	       /* offset from the function's start */
	uint64_t samples, period;
};

/* The samples at one line of a function. */
struct html_count {
	uint32_t line;
	uint64_t samples, period;
};

/* The samples of one event in a function. */
struct html_counts {
	uint32_t event;		     /* number in the page */
	uint64_t samples, period;    /* of the whole function */
	ARRAY(struct html_count) at; /* by line */
	struct annotation_amount
		total; /* samples with callees; zero: unknown */
	struct annotation_totals totals; /* if .total; arrays can be NULL */
	/* samples by thread and slice; borrowed */
	const struct html_part *parts;
	size_t n_parts; /* number of .parts; 0: not available */
};

/*
 * Names of source files and of inlined functions, each name once. A
 * zero-initialized struct is empty.
 */
struct html_texts {
	ARRAY(const char *) at; /* borrowed */
	struct hash_index by_text;
};
void html_texts_deinit(struct html_texts *texts);

struct html_function {
	struct annotation annotation;
	uint32_t number; /* of the function in the page */
	uint32_t event;	 /* event of .annotation: number in the page */
	ARRAY(struct html_counts) counts;
	bool *is_near; /* for each line: whether it is written; NULL: all lines;
		        * owned */
};

/*
 * Appends the source line TEXT of SIZE bytes to OUT, escaped; a long line is
 * shortened.
 */
void html_put_source(struct strbuf *out, const char *text, size_t size);
/*
 * Appends FUNCTION to OUT, and the names of its files and inlined functions to
 * TEXTS. Returns the number of appended bytes without those of samples.
 */
size_t html_function_put(const struct html_function *function,
	struct html_texts *texts, struct strbuf *out);
/*
 * Appends FUNCTION without code; PROBLEM is the text why the code is missing.
 */
void html_function_put_problem(const struct html_function *function,
	const char *problem, struct strbuf *out);
void html_function_deinit(struct html_function *function);

#endif
