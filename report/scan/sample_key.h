/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of a sample that rows are grouped by, besides its code and thread,
 * and the period that it counts. Only requested values are computed.
 */
#ifndef DWELL_REPORT_SCAN_SAMPLE_KEY_H
#define DWELL_REPORT_SCAN_SAMPLE_KEY_H

#include "report/scan/stacks.h"
#include "report/survey/offcpu_time.h"

struct survey;     /* report/survey/survey.h */
struct trace_keys; /* report/scan/trace_keys.h */

/* One entry of a branch stack: perf_branch_entry of linux/perf_event.h. */
struct sample_key_branch {
	uint64_t from, to, flags;
};

struct sample_key_source {
	const struct sample *sample;     /* as it is counted */
	uint8_t cpumode;                 /* of the sample: MISC_KERNEL, ... */
	struct sample_key_branch branch; /* zeroed without COUNT_BRANCHES */
	uint64_t type;                   /* attr.sample_type of its event */
	uint64_t quantum_ns;             /* of time; 0: each sample its own */
	uint32_t event, input;           /* the input's number of the event */
	const struct survey *survey;     /* of the input */
	uint64_t time;                   /* survey_time() */
	enum thread_state state;         /* if time is counted, else STATE_ON */
	struct trace_keys *traces;       /* NULL unless a field needs them */
	const char *data;                /* of the requested field */
};

typedef uint64_t sample_key_value(const struct sample_key_source *source);

enum count_mode {
	COUNT_SAMPLES,
	COUNT_BRANCHES, /* each branch counts 1, at its target */
	COUNT_WEIGHTS,  /* a sample counts its weight */
	COUNT_TIME,     /* a sample counts the time that it stands for */
};

struct sample_keys {
	sample_key_value *values[STACKS_VALUES_MAX];
	const char *data[STACKS_VALUES_MAX]; /* passed to the function */
	size_t n;
	enum count_mode mode;
	uint64_t quantum_ns;
	struct trace_keys *traces; /* owned by the report; not thread-safe */
};

/*
 * Requests VALUE with DATA, once; returns false if there are too many values.
 */
bool sample_keys_add(struct sample_keys *sample_keys, sample_key_value *value,
	const char *data);
/* Returns the index of a requested value among the values of a context. */
size_t sample_keys_slot(const struct sample_keys *sample_keys,
	sample_key_value *value, const char *data);

struct event_totals {
	uint64_t samples, period;
};

/*
 * Returns the number of the context that has the requested values of SOURCE's
 * sample in addition to those of CONTEXT.
 */
uint32_t sample_keys_context(const struct sample_keys *sample_keys,
	struct stacks *stacks, uint32_t context,
	const struct sample_key_source *source);
/* Returns the period that the sample counts. Not for COUNT_BRANCHES. */
uint64_t sample_keys_period(const struct sample_keys *sample_keys,
	const struct sample_key_source *source);
/*
 * Counts the branches of SOURCE's sample in CONTEXT, and adds them to TOTALS of
 * the event.
 */
void sample_keys_count_branches(const struct sample_keys *sample_keys,
	struct stacks *stacks, uint32_t context,
	const struct sample_key_source *source, struct event_totals *totals);

/*
 * Returns the sample's weight, whose unit depends on the event (cycles, ...).
 */
sample_key_value sample_key_weight;
/* Returns the sample's enum thread_state. */
sample_key_value sample_key_state;

#endif
