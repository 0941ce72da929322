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
	struct maps_context at;	     /* process and thread */
	uint64_t time;		     /* as survey_time() returns it */
	uint64_t number; /* number among all samples that were read, from 1 */
	uint64_t read;	 /* bytes of all records up to this one */
};

struct sequence_config {
	bool types[RECORD_END]; /* record types to report in addition to samples
				 */
	bool is_unsorted;	/* report in file order */
	/* both return false if no more samples and records are needed */
	bool (*take)(void *data, const struct sequence_sample *sample);
	/* may be NULL if .types has no type */
	bool (*take_other)(
		void *data, const struct record *record, uint64_t position);
	void *data; /* argument of both functions */
};

struct sequence;

/*
 * RESULT is prepared (result_prepare()), of one recording, and borrowed. With
 * HAS_CHAINS, all stack copies are unwound before the first sample is reported.
 */
struct sequence *sequence_create(struct result *result, bool has_chains);
/* May be called only once. */
void sequence_run(
	struct sequence *sequence, const struct sequence_config *config);
/* Returns the largest .number of a sample. */
uint64_t sequence_length(const struct sequence *sequence);
/* Returns the largest .read of a sample. */
uint64_t sequence_size(const struct sequence *sequence);
/* SEQUENCE may be NULL. */
void sequence_destroy(struct sequence *sequence);

#endif
