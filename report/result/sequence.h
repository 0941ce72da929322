/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of one recording, one after the other in the order of time, as
 * who prints them wants them: filtered, with the callchains that came later or
 * were unwound, and one for each event that a group has counted.
 */
#ifndef DWELL_REPORT_RESULT_SEQUENCE_H
#define DWELL_REPORT_RESULT_SEQUENCE_H

#include "report/result/result.h"
#include "report/scan/order.h"

struct sequence_sample {
	uint32_t event;
	const struct sample *sample; /* borrowed until the call returns */
	struct maps_context at;      /* who it is of */
	uint64_t time;               /* survey_time() */
	uint64_t number;             /* of all that were read, from 1 */
	uint64_t read;               /* bytes, of the records up to its own */
};

struct sequence_wish {
	bool types[RECORD_END]; /* which records beside samples */
	bool is_unsorted;       /* all as the file has them */
	void (*take)(void *data, const struct sequence_sample *sample);
	/* NULL if there are no types. */
	void (*take_other)(void *data, const struct record *record,
		uint64_t position);
	void *data; /* for both */
};

struct sequence;

/*
 * RESULT, which is borrowed, is prepared (result_prepare()), of one recording.
 * With HAS_CHAINS copies of stacks are unwound, all of them before the first
 * sample is given.
 */
struct sequence *sequence_create(struct result *result, bool has_chains);
/* Once. */
void sequence_run(struct sequence *sequence, const struct sequence_wish *wish);
/* What numbers run up to. */
uint64_t sequence_length(const struct sequence *sequence);
/* What bytes run up to. */
uint64_t sequence_size(const struct sequence *sequence);
/* NULL is fine. */
void sequence_destroy(struct sequence *sequence);

#endif
