/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects the samples of one recording that are counted, by requested times,
 * CPUs, events and control groups. The other samples are in no total, as if
 * they had not been recorded.
 */
#ifndef DWELL_REPORT_SURVEY_SAMPLE_SELECTION_H
#define DWELL_REPORT_SURVEY_SAMPLE_SELECTION_H

#include "common/file/reader.h"
#include "report/survey/survey.h"
#include "report/util/filter.h"
#include "report/util/times.h"

/* The times that samples stand for. */
enum sample_selection_waits {
	SAMPLE_SELECTION_MOMENTS,      /* their own times */
	SAMPLE_SELECTION_WAITS_AFTER,  /* waits that begin there, or later */
	SAMPLE_SELECTION_WAITS_BEFORE, /* waits that end there, or earlier */
};

struct sample_selection {
	/*
	 * If samples stand for waits, samples of all times are selected;
	 * offcpu_parts.h finds what is in the selected times.
	 */
	enum sample_selection_waits waits;
	struct time_ranges times;
	ARRAY(bool) events; /* for each event number: the event is selected */
	bool has_cgroups;
	ARRAY(uint64_t) cgroups; /* IDs to select; empty: selects no sample */
	const struct cpus *cpus; /* borrowed from the filter */
	bool is_all;		 /* every sample is selected */
};

/*
 * Prepares SELECTION for the samples of READER's recording that FILTER
 * requests. FILTER is borrowed. It is no error if the recording has none of the
 * requested events, because another recording may have them (inputs.h).
 */
struct error *sample_selection_init(struct sample_selection *selection,
	const struct filter *filter, const struct reader *reader,
	const struct survey *survey) _must_check_;
void sample_selection_deinit(struct sample_selection *selection);

/*
 * Returns false if no sample in EXTENT is selected. If SELECTION is NULL, all
 * samples are selected.
 */
bool sample_selection_has_extent(
	const struct sample_selection *selection, const struct extent *extent);
bool sample_selection_checks_sample(const struct sample_selection *selection,
	size_t event, const struct sample *sample);
static inline bool sample_selection_has_sample(
	const struct sample_selection *selection, size_t event,
	const struct sample *sample)
{
	return !selection || selection->is_all ||
		sample_selection_checks_sample(selection, event, sample);
}

#endif
