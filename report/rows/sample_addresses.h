/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where samples were taken, to the instruction, kept from counted stacks before
 * their frames become functions: who wants that beside a report needs no second
 * pass over samples.
 */
#ifndef DWELL_REPORT_ROWS_SAMPLE_ADDRESSES_H
#define DWELL_REPORT_ROWS_SAMPLE_ADDRESSES_H

#include "report/resolve/resolve.h"
#include "report/scan/sample_key.h"

/* A thread, at a time as stacks tell it apart. */
struct hit_when {
	uint64_t time; /* 0: it isn't told apart */
	uint32_t pid, tid;
};

struct hit {
	uint32_t event;    /* the number for all inputs */
	uint32_t location; /* the resolver's */
	uint32_t when;     /* in .whens */
	uint64_t place;    /* from the start of its symbol */
	uint64_t samples, period;
};

/* A zeroed one is empty. A place may be there several times. */
struct hits {
	/* What contexts have for time, borrowed; .time NULL: nothing. */
	const struct takes *takes;
	take_value *time;
	ARRAY(struct hit) at;
	ARRAY(struct hit_when) whens;
	struct hash_index by_when;
};

/*
 * Of PART, whose contexts and frames have numbers for all inputs. What filters of
 * samples leave out isn't there; nor is code without a symbol.
 */
void hits_add(struct hits *hits, const struct stacks *part,
	struct resolver *resolver);
void hits_deinit(struct hits *hits);

#endif
