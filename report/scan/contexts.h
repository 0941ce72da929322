/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a scan is asked for, and by what it tells stacks apart. */
#ifndef DWELL_REPORT_SCAN_CONTEXTS_H
#define DWELL_REPORT_SCAN_CONTEXTS_H

#include "report/scan/sample_key.h"
#include "report/scan/stacks.h"
#include "report/survey/offcpu_time.h"
#include "report/survey/sample_selection.h"
#include "report/survey/survey.h"
#include "report/unwind/unwinding.h"
#include "report/util/filter.h"

struct scan_request {
	bool wants_pid, wants_tid, wants_cpu; /* to tell stacks apart by */
	bool wants_chains;
	uint16_t input;              /* its number, for contexts */
	uint64_t max_frames;         /* of a chain, 0: all; the innermost, */
	bool keeps_callers;          /* or the outermost */
	const struct pick *pick;     /* borrowed; NULL: all samples */
	const struct takes *takes; /* borrowed; NULL: nothing else */
	const struct offcpu *offcpu; /* borrowed; NULL: no time is counted */
	const struct filter *filter; /* borrowed; its dsos and symbols are
				      * looked at later */
	/* Borrowed; NULL: copies of stacks aren't looked at. It is finished. */
	struct unwinding *unwinding;
	bool only_unwinds; /* nothing is counted */
};

/* The context of SAMPLE, of EVENT, whose thread was AT its time. */
struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at);

#endif
