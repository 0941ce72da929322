/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over samples: counts raw stacks, on as many threads as the file
 * allows.
 */
#ifndef DWELL_REPORT_SCAN_SCAN_H
#define DWELL_REPORT_SCAN_SCAN_H

#include "report/scan/contexts.h"
#include "report/survey/damage.h"

struct hits;

/*
 * First each worker has a table of its own, whose numbers are frames; when they
 * are resolved (hist_resolve()) there is one, whose numbers are locations.
 */
struct scan {
	ARRAY(struct stacks) parts;
	struct stacks stacks;
	ARRAY(struct take_totals) by_event;
	struct damage damaged; /* samples that could not be read */
	uint64_t unjoined; /* samples whose user callchain never came */
	struct offcpu_counts offcpu; /* where time is counted */
	uint64_t put_by;       /* bytes of READER for rows */
	struct hits *hits;     /* kept as it is resolved, borrowed; or NULL */
	struct reader *reader; /* borrowed */
};

/* The samples of all events. */
uint64_t scan_samples(const struct scan *scan);
void scan_run(struct reader *reader, const struct survey *survey,
	const struct scan_request *request, struct scan *ret);
/*
 * Surveys READER and scans it on the way, so that only dwell's blocks, and what
 * holds samples of threads that changed, are read a second time. Not every
 * question can be asked so: scan_is_early() tells.
 */
bool scan_is_early(struct reader *reader, const struct scan_request *request);
struct error *scan_both(struct reader *reader,
	const struct scan_request *request, struct survey *survey_ret,
	struct scan *ret) _must_check_;
void scan_deinit(struct scan *scan);

#endif
