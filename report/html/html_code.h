/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the section "code" of a page (html_data.h): the instructions and
 * source lines of functions with their samples. report/html/page/code.js reads
 * the section:
 *
 *	opened		function + 1 that the page opens first, or 0
 *	most		maximum number of functions in this section, or 0
 *	texts		n, for each: name of a file or of an inlined function
 *	functions	n, for each, the hottest first, and after those with own
 *			samples, those with the most samples with callees:
 *	    function	index in the page's functions
 *	    problem	why there are no instructions (text), or ""
 *	    address	of the first byte (text, hexadecimal digits)
 *	    cut		whether the rest of the code is left out
 *	    sources	n, for each: file (index in texts); line; 0: no text, 1:
 *			text, 2: text that can have changed since; unless 0, the
 *			text
 *	    scopes	n, for each inlined function: name (index in texts);
 *			scope that contains it + 1 or 0; source where it is inlined
 *			+ 1 or 0
 *	    lines	n, for each instruction: number of instructions left out
 *			before it; address - address of the previous
 *			instruction; text; source + 1 or 0; innermost scope + 1 or
 *			0; label or 0; target + 1 or 0;
 *			label of the target, or text of an outside target;
 *			arrows, 2 bits of enum flow_arrow each, the nearest
 *			lowest; depth of loops
 *	    skipped	instructions left out behind the last one
 *	    loops	n, for each: head, last
 *	    blocks	event, n, for each with branch counts: first, entered,
 *			taken, not taken, mispredicted, tenths of a cycle
 *	    counts	n, for each event: event, samples, period; n, for each
 *			line with samples: line (without lines: source) - the
 *			previous line, samples, period; samples and period with
 *			callees, 0: unknown; n, for each line, for each first line of
 *			a run of lines with the same source and scope name, for each
 *			source with such samples: its number - the previous number,
 *			samples, period; n of parts, 0: not
 *			recorded; unless 0, the period of each sample, 0: the
 *			periods differ, and columns of n numbers: first cell of
 *			the event with the slice and the thread of the part -
 *			that of the previous part; line; samples; and if periods
 *			differ, period
 *
 *	files		n, for each source file of these functions that is not the
 *			system's: name (text); n, for each line: 0: unknown, 1: text;
 *			if known, the text
 *
 * An event is its number in the page. Of very long functions, only the sampled
 * instructions and their neighbours are written.
 */
#ifndef DWELL_REPORT_HTML_HTML_CODE_H
#define DWELL_REPORT_HTML_HTML_CODE_H

#include "report/code/functions.h"
#include "report/flame/flame_result.h"

struct html_code {
	struct result *result;
	const struct flame *flame;
	const struct flame_slices *slices;
	const struct functions *by_event; /* one for each event of .result */
	uint64_t most; /* maximum number of functions; 0: no limit */
};

/*
 * Appends the functions that the options name, or the hottest functions, to
 * OUT. All pointers of CODE are borrowed.
 */
void html_code_put(const struct html_code *code, struct strbuf *out);

#endif
