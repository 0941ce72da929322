/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of samples by address, thread and time, and of the samples whose stacks
 * contain an address. The sums are taken from counted stacks before frames become
 * functions, so that code views and the HTML page need no second pass over samples.
 */
#ifndef DWELL_REPORT_TRANSFORM_SAMPLE_ADDRESSES_H
#define DWELL_REPORT_TRANSFORM_SAMPLE_ADDRESSES_H

#include "report/resolve/resolve.h"
#include "report/scan/sample_key.h"
#include "report/util/transform_list.h"

/* A thread and a time interval. */
struct sample_thread_time {
	uint64_t time; /* start of the interval; 0: times are not distinguished
			*/
	struct thread_ids ids;
};

struct sample_address {
	uint32_t event;	   /* number for all inputs */
	uint32_t location; /* number in the resolver */
	uint32_t when;	   /* index in sample_addresses.whens */
	/*
	 * Offset from the start of the symbol. If own time moved to a caller, the
	 * offset is inside its call instruction.
	 */
	uint64_t place;
	uint64_t samples, period;
};

/*
 * Samples whose stacks contain the same places of one function, each sample once.
 * There are several places if the function called itself.
 */
struct sample_visit {
	uint32_t event, location; /* as in struct sample_address */
	uint32_t first, n;	  /* range of sample_addresses.places */
	uint64_t samples, period;
};

/*
 * A zero-initialized struct has no sums. An address, and the same places, can occur
 * several times.
 */
struct sample_addresses {
	/*
	 * The values of contexts, borrowed, and the value that is the time;
	 * .time NULL: times are not distinguished.
	 */
	const struct sample_keys *sample_keys;
	sample_key_value *time;
	/* Samples whose sampled code this filter rejects are left out; borrowed. */
	const struct filter *filter;
	/*
	 * A sample belongs to the frame to which these move its own time, as in rows
	 * (transform.h), and is left out if they leave it out; borrowed.
	 */
	const struct transform_list *transforms;
	ARRAY(struct sample_address) at;
	bool has_visits; /* fill .visits: stacks have callers */
	ARRAY(struct sample_visit) visits;
	/*
	 * Offsets from the start of the symbol, ascending in each visit. For a caller,
	 * the offset is inside its call instruction.
	 */
	ARRAY(uint64_t) places;
	/*
	 * If stacks keep times, for each sample, in the order of scan.stacks
	 * .times: its element of .at, or HASH_NONE for a sample without one.
	 */
	ARRAY(uint32_t) by_sample;
	ARRAY(struct sample_thread_time) whens;
	struct hash_index by_when, by_places;
};

/*
 * Adds the samples of PART, a table of stacks whose contexts and frames have
 * numbers for all inputs. NUMBERS has the locations of the frames. Filtered samples are
 * left out, and in .visits code without a symbol.
 */
void sample_addresses_add(struct sample_addresses *hits,
	const struct stacks_raw *part, const struct stacks_numbers *numbers,
	struct resolver *resolver);
void sample_addresses_deinit(struct sample_addresses *hits);

#endif
