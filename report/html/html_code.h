/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a page's functions: their instructions and lines of source code,
 * and what was sampled at each. Section "code" of a page's data (html_data.h),
 * which report/html/page/code.js reads:
 *
 *	opened		function + 1 that the page begins with; 0: none
 *	most		so many functions have their code here at most
 *	texts		n, of each: the name of a file or of an inlined function
 *	functions	n, of each, the hottest first:
 *	    function	its number
 *	    problem	why there are no instructions (text); "": none
 *	    address	of the first byte (text, hexadecimal digits)
 *	    cut		whether there is more code than stands here
 *	    sources	n, of each: its file, a text; line, 0: its text isn't
 *			known, 1: it is, 2: it may have changed since; unless 0,
 *			the text
 *	    lines	n, of each instruction: others before it that are left
 *			out, its address - that of the one before, its text,
 *			source + 1 or 0, a text + 1: the inlined function that
 *			it was written in, or 0; label or 0, target + 1 or 0,
 *			unless 0: label of the target;
 *			else what is to be said of it (text); arrows, 2 bits of
 *			enum flow_arrow each, the nearest lowest; depth of loops
 *	    skipped	instructions behind the last one that are left out
 *	    loops	n, of each: head, last
 *	    blocks	event, n, of each that branches tell of: first, entered,
 *			taken, not taken, mispredicted, tenths of a cycle
 *	    counts	n, of each event: event, samples, period, n of lines with
 *			samples: line (without lines: source) - the one before,
 *			samples, period; n, of each thread and slice, 0: they
 *			aren't told apart; unless 0, what each sample's period
 *			is, 0: they differ; slice - the one before, pid, tid, n,
 *			of each: line - the one before, samples, and unless all
 *			are the same, period
 *
 * An event is its number in the page. Functions that are very long have what was
 * sampled and what is near that.
 */
#ifndef DWELL_REPORT_HTML_HTML_CODE_H
#define DWELL_REPORT_HTML_HTML_CODE_H

#include "report/code/functions.h"
#include "report/flame/flame_make.h"

struct html_code {
	struct result *result;
	const struct flame *flame;
	const struct flame_slices *slices;
	const struct hits *hits;
	const struct functions *by_event; /* of each of the result's */
	uint64_t most; /* functions; 0: no matter */
};

/* All but OUT are borrowed; the functions that options name, or the hottest. */
void html_code_put(const struct html_code *code, struct strbuf *out);

#endif
