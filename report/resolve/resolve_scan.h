/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Resolves the frames of a scan: first one frame of each DSO, the hottest DSO
 * first, and then all frames, while the stacks of all worker threads move into
 * one table, with location numbers instead of frame numbers.
 */
#ifndef DWELL_REPORT_RESOLVE_RESOLVE_SCAN_H
#define DWELL_REPORT_RESOLVE_RESOLVE_SCAN_H

#include "report/resolve/resolve.h"
#include "report/scan/inputs.h"
#include "report/scan/scan.h"

struct string_table;

/* What the scans of all inputs share. All pointers are borrowed. */
struct resolve_request {
	struct resolver *resolver;
	const struct inputs *inputs;
	struct string_table *texts; /* gets the names of commands */
	/*
	 * If it is not NULL, called for each table of stacks before its frame numbers are
	 * replaced by NUMBERS, with contexts and frames numbered for all inputs.
	 */
	void (*before_move)(void *data, const struct stacks_raw *part,
		const struct stacks_numbers *numbers);
	void *data; /* for .before_move */
};

/*
 * Resolves one frame of each DSO in SCAN->parts, the DSOs with most samples
 * first, so that their files are requested first from debuginfod servers. SCAN
 * is the scan of INPUT, which has the number NUMBER.
 */
void resolve_scan_hottest(struct resolver *resolver, const struct input *input,
	uint16_t number, const struct scan *scan);
/*
 * Moves the stacks of FROM->parts to INTO->stacks and empties FROM. Frames
 * become locations; each distinct address is resolved once. Command and event
 * numbers of INPUT become numbers for all inputs.
 */
void resolve_scan(struct scan *into, struct scan *from,
	const struct input *input, const struct resolve_request *request);

#endif
