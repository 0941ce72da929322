/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a report takes from each sample beside where it ran: values that rows
 * are grouped by, and what a sample counts as. Only what was asked for is
 * taken; a report that asks for nothing doesn't come here.
 */
#ifndef DWELL_REPORT_SCAN_SAMPLE_KEY_H
#define DWELL_REPORT_SCAN_SAMPLE_KEY_H

#include "report/scan/stacks.h"
#include "report/survey/offcpu_time.h"

struct survey; /* report/survey/survey.h */
struct traces; /* report/scan/trace_keys.h */

/* One entry of a branch stack: perf_branch_entry of linux/perf_event.h. */
struct take_branch {
	uint64_t from, to, flags;
};

struct take_source {
	const struct sample *sample; /* as it is counted */
	uint8_t cpumode;             /* where it was taken: MISC_KERNEL, ... */
	struct take_branch branch; /* zeroed, but with TAKE_BRANCHES */
	uint64_t type;             /* attr.sample_type of its event */
	uint64_t quantum_ns;       /* of time; 0: each sample its own */
	uint32_t event, input;     /* the input's own number of it */
	const struct survey *survey; /* of the input */
	uint64_t time;             /* survey_time() */
	enum thread_state state;   /* where time is counted, else STATE_ON */
	struct traces *traces;     /* NULL unless a field needs them */
	const char *data;          /* of the field that is asked */
};

typedef uint64_t take_value(const struct take_source *source);

enum take_mode {
	TAKE_SAMPLES,
	TAKE_BRANCHES, /* each branch counts 1, where it went to */
	TAKE_WEIGHTS,  /* a sample counts its weight */
	TAKE_TIME,     /* a sample counts the time that it stands for */
};

struct takes {
	take_value *values[STACKS_VALUES_MAX];
	const char *data[STACKS_VALUES_MAX]; /* handed to it */
	size_t n;
	enum take_mode mode;
	uint64_t quantum_ns;
	struct traces *traces; /* owned by the report; one thread if not NULL */
};

/* Asks for VALUE of DATA, once; false if there are too many. */
bool takes_add(struct takes *takes, take_value *value, const char *data);
/* Its place among a context's values. It must have been asked for. */
size_t takes_slot(
	const struct takes *takes, take_value *value, const char *data);

struct take_totals {
	uint64_t samples, period;
};

/*
 * The context of SOURCE's sample with the values that are taken of it; CONTEXT
 * is the one without.
 */
uint32_t takes_context(const struct takes *takes, struct stacks *stacks,
	uint32_t context, const struct take_source *source);
/* What that sample counts as. Not with TAKE_BRANCHES: */
uint64_t takes_period(
	const struct takes *takes, const struct take_source *source);
/*
 * Counts the branches of SOURCE's sample in CONTEXT. What they add to the
 * event's totals goes to TOTALS.
 */
void takes_count_branches(const struct takes *takes, struct stacks *stacks,
	uint32_t context, const struct take_source *source,
	struct take_totals *totals);

/* A sample's weight in cycles or the like, as its kind tells. */
take_value take_weight;
/* Its enum thread_state. */
take_value take_state;

#endif
