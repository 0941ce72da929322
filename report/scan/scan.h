/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over samples, called scan: counts stacks of addresses, on as many
 * threads as the file allows.
 */
#ifndef DWELL_REPORT_SCAN_SCAN_H
#define DWELL_REPORT_SCAN_SCAN_H

#include "report/scan/contexts.h"
#include "report/survey/incomplete.h"

/*
 * During the scan, each worker thread has a table of stacks in .parts, whose
 * chains consist of frame numbers. resolve_scan() replaces these tables by
 * .stacks, whose chains consist of location numbers.
 */
struct scan {
	ARRAY(struct stacks_raw) parts;
	struct stacks stacks;
	ARRAY(struct sample_totals) by_event;
	struct incomplete_damage damaged; /* samples that could not be read */
	uint64_t n_excess;		  /* samples whose period was limited */
	uint64_t missing_chains; /* samples whose user call chain is missing */
	struct offcpu_counts offcpu; /* if off-CPU time is counted */
	uint64_t reserved;	     /* bytes reserved from .budget for rows */
	struct budget *budget;	     /* borrowed */
};

/* Returns the number of samples of all events. */
uint64_t scan_samples(const struct scan *scan);
void scan_run(struct reader *reader, const struct survey *survey,
	const struct scan_request *request, struct scan *ret);
void scan_deinit(struct scan *scan);

#endif
