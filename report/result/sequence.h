/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the samples of one recording in the order of time, for views that print
 * single samples: filtered, with deferred or unwound call chains, and one
 * sample per event that a group counted.
 */
#ifndef DWELL_REPORT_RESULT_SEQUENCE_H
#define DWELL_REPORT_RESULT_SEQUENCE_H

#include "report/result/result.h"
#include "report/scan/order.h"

struct sequence_sample {
	uint32_t event;
	const struct sample *sample; /* borrowed until the call returns */
	struct maps_context at;	     /* state of the sample's thread */
	uint64_t time;		     /* from survey_time() */
	uint64_t number; /* number among all samples that were read, from 1 */
	uint64_t read;	 /* bytes of all sample records up to this sample */
};

struct sequence_config {
	bool types[RECORD_END]; /* record types to report in addition to samples
				 */
	bool is_unsorted;	/* report in file order */
	/*
	 * called for each sample; returns false if no more samples and records
	 * are needed
	 */
	bool (*take)(void *data, const struct sequence_sample *sample);
	/*
	 * called for each other record; returns false like .take; may be NULL
	 * if .types has no type
	 */
	bool (*take_other)(
		void *data, const struct record *record, uint64_t position);
	void *data; /* argument of .take and .take_other */
};

struct sequence;

/*
 * RESULT is a result of one recording after result_prepare(), and borrowed.
 * With HAS_CHAINS, all stack copies are unwound before the first sample is
 * reported.
 */
struct sequence *sequence_create(struct result *result, bool has_chains);
/*
 * Reports all samples that pass the filters, and the other records, to CONFIG.
 * May be called only once per sequence.
 */
void sequence_run(
	struct sequence *sequence, const struct sequence_config *config);
/* Returns the largest .number of a sample. */
uint64_t sequence_length(const struct sequence *sequence);
/* Returns the largest .read of a sample. */
uint64_t sequence_size(const struct sequence *sequence);
/* SEQUENCE may be NULL. */
void sequence_destroy(struct sequence *sequence);

#endif
