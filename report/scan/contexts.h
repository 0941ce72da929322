/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of a scan, and the context of a sample in it. */
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
	bool wants_pid, wants_tid, wants_cpu; /* parts of contexts */
	bool wants_chains;
	uint16_t input;      /* number of the input, for contexts */
	uint64_t max_frames; /* of a chain, 0: all; the innermost, */
	bool keeps_callers;  /* or the outermost */
	const struct sample_selection
		*selection;                    /* borrowed; NULL: all samples */
	const struct sample_keys *sample_keys; /* borrowed; NULL: none */
	const struct offcpu *offcpu; /* borrowed; NULL: no time is counted */
	const struct filter *filter; /* borrowed; DSOs and symbols are
	                              * filtered later */
	/* Borrowed; finished by the scan. NULL: stack copies are ignored. */
	struct unwinding *unwinding;
	bool only_unwinds; /* nothing is counted */
};

/* Returns the context of SAMPLE, of EVENT, whose thread was in AT. */
struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at);

#endif
