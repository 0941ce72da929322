/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples of one recording count at all: those of the wanted times, CPUs,
 * events and control groups. The others are in no total, as if they had not been
 * recorded.
 */
#ifndef DWELL_REPORT_SURVEY_SAMPLE_SELECTION_H
#define DWELL_REPORT_SURVEY_SAMPLE_SELECTION_H

#include "common/file/reader.h"
#include "report/survey/survey.h"
#include "report/util/filter.h"
#include "report/util/times.h"

struct pick {
	struct time_ranges times;
	ARRAY(bool) events;      /* by event: is wanted */
	bool has_cgroups;
	ARRAY(uint64_t) cgroups; /* ids; none: nothing is wanted */
	const struct cpus *cpus; /* borrowed from the filter */
	bool is_all;             /* every sample counts */
};

/*
 * What FILTER, which is borrowed, means for READER's recording. That it has none
 * of the wanted events is no error: another one may (inputs.h).
 */
struct error *pick_init(struct pick *pick, const struct filter *filter,
	const struct reader *reader, const struct survey *survey) _must_check_;
void pick_deinit(struct pick *pick);

/* PICK may be NULL: everything. False for what needn't be read for samples. */
bool pick_has_extent(const struct pick *pick, const struct extent *extent);
bool pick_checks_sample(const struct pick *pick, size_t event,
	const struct sample *sample);
static inline bool pick_has_sample(const struct pick *pick, size_t event,
	const struct sample *sample)
{
	return !pick || pick->is_all ||
		pick_checks_sample(pick, event, sample);
}

#endif
