/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the samples of one recording in the order of time, for views that print
 * single samples: filtered, with deferred or unwound call chains, and one
 * sample per event that a group counted.
 */
#ifndef DWELL_REPORT_RESULT_ORDERED_SAMPLES_H
#define DWELL_REPORT_RESULT_ORDERED_SAMPLES_H

#include "report/result/result.h"
#include "report/scan/order.h"

struct ordered_sample {
	uint32_t event;
	const struct sample *sample; /* borrowed until the call returns */
	struct maps_context at;	     /* state of the sample's thread */
	uint64_t time;		     /* from survey_time() */
	uint64_t number; /* number among all samples that were read, from 1 */
	uint64_t read;	 /* bytes of all sample records up to this sample */
};

struct ordered_samples_config {
	bool types[RECORD_END]; /* record types to report in addition to samples
				 */
	bool is_unsorted;	/* report in file order */
	/*
	 * called for each sample; returns false if no more samples and records
	 * are needed
	 */
	bool (*take)(void *data, const struct ordered_sample *sample);
	/*
	 * called for each other record; returns false like .take; may be NULL
	 * if .types has no type
	 */
	bool (*take_other)(
		void *data, const struct record *record, uint64_t position);
	void *data; /* argument of .take and .take_other */
};

struct ordered_samples;

/*
 * RESULT is a result of one recording after result_prepare(), and borrowed.
 * With HAS_CHAINS, all stack copies are unwound before the first sample is
 * reported.
 */
struct ordered_samples *ordered_samples_create(
	struct result *result, bool has_chains);
/*
 * Reports all samples that pass the filters, and the other records, to CONFIG.
 * Call this function only once for ORDERED.
 */
void ordered_samples_run(struct ordered_samples *ordered,
	const struct ordered_samples_config *config);

/* Returns the largest .read of a sample. */
uint64_t ordered_samples_size(const struct ordered_samples *ordered);
/* ORDERED may be NULL. */
void ordered_samples_destroy(struct ordered_samples *ordered);

#endif
