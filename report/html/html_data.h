/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a page of the html export shows, as bytes. All numbers are unsigned and
 * written seven bits a byte, lowest first, the last byte without its top bit; a
 * text is its size and its bytes, which are UTF-8. report/html/page/decode.js reads
 * it:
 *
 *	version		HTML_DATA_VERSION
 *	facts		n, of each: name, value (texts)
 *	times		ns of the first bin; of a bin; bins; bins of a slice
 *	functions	n, of each: name, DSO (texts), level (a character)
 *	nodes		n, of each: how many levels up its parent is from the
 *			node before it, function * 2 + whether it is inlined
 *	tasks		n, of each: pid, tid, comm (text)
 *	events		n, of each:
 *	    name, unit	texts; the unit of its periods is "ns" or ""
 *	    samples, period, lost
 *	    same	what each sample's period is; 0: they differ
 *	    totals	n, of each: function, period; of functions with all
 *			below them, where nodes don't tell any more
 *	    lanes	n, of each: state, pid, tid, label (text; else the
 *			thread's), runs of bins: n, of each: bins that are
 *			skipped, count
 *	    groups	n, of each: slice - that of the group before it, task,
 *			cells: n, of each: node - that of the cell before it,
 *			samples, and unless all are the same, period
 *	more		sections for some pages: n, of each: name (text), size,
 *			bytes: "code" (html_code.h), "recordings"
 *			(export_difference.c)
 *
 * A lane's state is 0: on a CPU, in samples; 1: runnable, 2: blocked,
 * 3: preempted, all in microseconds.
 */
#ifndef DWELL_REPORT_HTML_HTML_DATA_H
#define DWELL_REPORT_HTML_HTML_DATA_H

#include "report/flame/flame_make.h"
#include "report/flame/time_bins.h"
#include "report/util/deflate.h"

#define HTML_DATA_VERSION 1

struct html_section {
	const char *name;
	struct strbuf bytes; /* owned by who made it (html_bytes.h) */
};

struct html_data {
	/* Several: events of the tree are those of each, one after the other. */
	const struct result *const *results;
	size_t n_results;
	const struct flame *flame;
	const struct flame_slices *slices;
	const struct moments *moments; /* NULL: times aren't told */
	const struct html_section *sections;
	size_t n_sections;
};

void html_data_put(const struct html_data *data, struct deflate *out);

#endif
