/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an HTML page and its data. All numbers are unsigned and written 7 bits
 * per byte, lowest first; the top bit is set in all bytes except the last byte
 * of a number. A text is its size and its bytes, which are UTF-8.
 * report/html/page/decode.js reads the data:
 *
 *	version		HTML_DATA_VERSION
 *	facts		n, for each: name, value (texts)
 *	times		ns of the first bin and slice; ns per slice, slices, ns
 *			per bin, bins; all 0: no times; 1 + ns of sampling if the
 *			times of threads are counted in one recording, or 0
 *	colours		n, for each: light, dark (texts)
 *	modules		n, for each: name (struct flame_colouring)
 *	functions	n, for each: name, DSO (texts), level (a character),
 *			module, colour by module, colour by DSO; other names (text);
 *			sum of 1: inlined, 2: glue (glue.h), 4: guessed (struct
 *			location), 8: of the recorded program, or of what its
 *			runtime runs
 *	files		n, for each: name; then for each function: file + 1 or
 *			0, line or 0, of its beginning or declaration
 *	nodes		n, for each: levels from the previous node up to the
 *			parent, function
 *	tasks		n, for each: IDs; comm, name of the process (texts);
 *			then the enum style_flame_grouping that the page
 *			begins with
 *	events		n, for each:
 *	    name, unit	texts; the unit of periods is "ns" or ""
 *	    samples, period, lost
 *	    same	the period of each sample, 0: periods differ
 *	    totals	n, for each: function, period with callees; only of
 *			functions whose nodes were merged
 *	    lanes	n, for each: state, IDs, label (text; "": the name of
 *			the thread), runs of bins: n, for each: bins skipped,
 *			count
 *	    cells	n; the samples of each cell, 0: they differ; and columns
 *			of n numbers: slice - the previous cell's slice; task;
 *			node; samples if they differ; period if periods differ;
 *			then the cells with a span (struct flame_cell): n, for
 *			each: index - that of the one before, span
 *	more		sections of some pages: n, for each: name (text), size,
 *			bytes: "code" (html_code.h), "recordings"
 *			(export_difference.c), "waits" (html_waits.h)
 *
 * IDs are the members of struct thread_ids: pid, pid_use, tid, tid_use.
 * The state of a lane is 0: on a CPU, in samples; 1: runnable, 2: blocked,
 * 3: preempted, all in microseconds.
 */
#ifndef DWELL_REPORT_HTML_HTML_DATA_H
#define DWELL_REPORT_HTML_HTML_DATA_H

#include "report/flame/flame_result.h"
#include "report/flame/time_bins.h"
#include "report/util/deflate.h"
#include "report/util/outflow.h"

#define HTML_DATA_VERSION 7

struct html_section {
	const char *name;
	struct strbuf bytes; /* owned by the caller of html_write() */
};

struct html_data {
	/*
	 * The events of all results, one result after another, have consecutive
	 * numbers in .flame.
	 */
	const struct result *const *results;
	size_t n_results;
	const struct flame *flame;
	const struct flame_slices *slices;
	const struct time_bins *time_bins; /* NULL: without times */
	const struct html_section *sections;
	size_t n_sections;
};

/*
 * Writes the page of DATA to OUT, in one file. The data is compressed and in
 * base64, so that names in it cannot be read as HTML.
 */
void html_write(const struct html_data *data, struct outflow *out);

#endif
