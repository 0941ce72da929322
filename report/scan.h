/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over samples: counts raw stacks, on as many threads as the file
 * allows. No sample is queued, sorted or looked up.
 */
#ifndef DWELL_SCAN_H
#define DWELL_SCAN_H

#include "common/reader.h"
#include "report/damage.h"
#include "report/filter.h"
#include "report/pick.h"
#include "report/stacks.h"
#include "report/survey.h"
#include "report/take.h"
#include "report/unwinding.h"

struct scan_request {
	bool wants_pid, wants_tid, wants_cpu; /* to tell stacks apart by */
	bool wants_chains;
	uint16_t input;              /* its number, for contexts */
	uint64_t max_frames;         /* of a chain, 0: all; the innermost, */
	bool keeps_callers;          /* or the outermost */
	const struct pick *pick;     /* borrowed; NULL: all samples */
	const struct takes *takes; /* borrowed; NULL: nothing else */
	const struct filter *filter; /* borrowed; its dsos and symbols are
				      * looked at later */
	/* Borrowed; NULL: copies of stacks aren't looked at. It is finished. */
	struct unwinding *unwinding;
	bool only_unwinds; /* nothing is counted */
};

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
	uint64_t put_by;       /* bytes of READER for rows */
	struct reader *reader; /* borrowed */
};

/* The samples of all events. */
uint64_t scan_samples(const struct scan *scan);
void scan_run(struct reader *reader, const struct survey *survey,
	const struct scan_request *request, struct scan *ret);
void scan_deinit(struct scan *scan);

#endif
