/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One annotated function as bytes of a page's section "code" (html_code.h). */
#ifndef DWELL_REPORT_HTML_HTML_FUNCTION_H
#define DWELL_REPORT_HTML_HTML_FUNCTION_H

#include "report/code/annotation.h"
#include "report/html/html_parts.h"

/* What was counted at one line of a function. */
struct html_count {
	uint32_t line;
	uint64_t samples, period;
};

/* The same of one event. */
struct html_counts {
	uint32_t event; /* as the page counts them */
	uint64_t samples, period; /* of the whole function */
	ARRAY(struct html_count) at; /* by line */
	const struct html_part *parts; /* of all of it, borrowed; */
	size_t n_parts;		       /* 0: they aren't told */
};

/* Names of files and of inlined functions, each once. A zeroed one is empty. */
struct html_texts {
	ARRAY(const char *) at; /* borrowed */
	struct hash_index by_text;
};
void html_texts_deinit(struct html_texts *texts);

struct html_function {
	struct annotation annotation;
	uint32_t number; /* as the page counts functions */
	uint32_t event;	 /* likewise, of .annotation */
	ARRAY(struct html_counts) counts;
	bool *is_near; /* owned; by line, whether it is shown; NULL: all are */
};

void html_function_put(const struct html_function *function,
	struct html_texts *texts, struct strbuf *out);
/* The same without its code, because of PROBLEM. */
void html_function_put_problem(const struct html_function *function,
	const char *problem, struct strbuf *out);
void html_function_deinit(struct html_function *function);

#endif
