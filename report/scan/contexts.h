/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parameters of a scan (the pass that counts samples), and the context of
 * each sample: its event, thread, address space and other keys.
 */
#ifndef DWELL_REPORT_SCAN_CONTEXTS_H
#define DWELL_REPORT_SCAN_CONTEXTS_H

#include "report/scan/sample_key.h"
#include "report/scan/stacks.h"
#include "report/survey/offcpu_parts.h"
#include "report/survey/sample_selection.h"
#include "report/survey/survey.h"
#include "report/unwind/recorded_unwinding.h"
#include "report/util/filter.h"

struct scan_request {
	bool wants_pid, wants_tid, wants_cpu; /* contexts have these */
	bool wants_chains;
	uint16_t input;	     /* number of the input (inputs.h) */
	size_t n_inputs;     /* that are counted together; 0 means 1 */
	bool cuts_quanta;    /* of .sample_keys, by which rows are grouped */
	bool keeps_times;    /* keep the time of each sample (stack_time) */
	uint64_t max_frames; /* limit for each call chain; 0: no limit */
	bool keeps_callers;  /* keep the outermost frames, not the innermost */
	const struct sample_selection
		*selection;		       /* borrowed; NULL: all samples */
	const struct sample_keys *sample_keys; /* borrowed; NULL: no keys */
	/* borrowed; NULL: counts no off-CPU time */
	const struct offcpu *offcpu;
	const struct filter *filter; /* borrowed; DSOs and symbols are
	                              * filtered later */
	/* Borrowed; finished by the scan. NULL: stack copies are ignored. */
	struct recorded_unwinding *unwinding;
	bool only_unwinds; /* stacks are unwound, but not counted */
	/* also unwind stacks of samples that .filter excludes */
	bool unwinds_filtered;
};

/*
 * Returns the context of SAMPLE of EVENT. AT is the state of SAMPLE's thread at
 * the time of SAMPLE.
 */
struct context contexts_make(const struct survey *survey,
	const struct scan_request *request, uint32_t event,
	const struct sample *sample, const struct maps_context *at);

#endif
