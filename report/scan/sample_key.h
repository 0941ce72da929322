/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The values of a sample by which rows are grouped, besides code and thread,
 * and the period for which the sample counts. Only requested values are
 * computed.
 */
#ifndef DWELL_REPORT_SCAN_SAMPLE_KEY_H
#define DWELL_REPORT_SCAN_SAMPLE_KEY_H

#include "report/scan/stacks.h"
#include "report/survey/offcpu_parts.h"

struct survey;	   /* report/survey/survey.h */
struct trace_keys; /* report/scan/trace_keys.h */

/* One entry of a branch stack: perf_branch_entry of linux/perf_event.h. */
struct sample_key_branch {
	uint64_t from, to, flags;
};

struct sample_key_source {
	const struct sample *sample; /* the counted sample */
	uint8_t cpumode;	     /* of the sample: MISC_KERNEL, ... */
	struct sample_key_branch
		branch; /* zeroed without SAMPLE_COUNT_BRANCHES */
	uint64_t type;	/* attr.sample_type of the event */
	/* times are rounded to it; 0: not rounded */
	uint64_t quantum_ns;
	uint32_t event, input;	     /* event number in .input; input */
	const struct survey *survey; /* survey of the input */
	uint64_t time;		     /* of the sample; from survey_time() */
	enum offcpu_state state; /* if time is counted, else OFFCPU_STATE_ON */
	struct trace_keys *traces; /* NULL unless a value needs it */
	/* sample_keys.data of the requested value */
	const char *data;
};

typedef uint64_t sample_key_value(const struct sample_key_source *source);

enum sample_count_mode {
	SAMPLE_COUNT_SAMPLES,
	SAMPLE_COUNT_BRANCHES, /* each branch counts 1, at its target address */
	SAMPLE_COUNT_WEIGHTS,  /* a sample counts its weight */
	SAMPLE_COUNT_TIME,     /* a sample counts the time that it stands for */
};

struct sample_keys {
	sample_key_value *values[STACKS_VALUES_MAX];
	const char *data[STACKS_VALUES_MAX]; /* passed to .values[i] */
	size_t n;
	enum sample_count_mode mode;
	uint64_t quantum_ns;
	struct trace_keys *traces; /* owned by the report; not thread-safe */
};

/*
 * Requests VALUE, computed with DATA, unless it is requested already. Returns
 * false if there are too many values.
 */
bool sample_keys_add(struct sample_keys *sample_keys, sample_key_value *value,
	const char *data);
/* Returns the index of the requested VALUE with DATA in stacks_values(). */
size_t sample_keys_slot(const struct sample_keys *sample_keys,
	sample_key_value *value, const char *data);

struct sample_totals {
	uint64_t samples, period;
};

/*
 * Returns the number of the context that has the keys of CONTEXT and the
 * requested values of SOURCE's sample. Sets SOURCE->data.
 */
uint32_t sample_keys_context(const struct sample_keys *sample_keys,
	struct stacks_raw *stacks, uint32_t context,
	struct sample_key_source *source);
/*
 * Returns the period (the weight) that SOURCE's sample adds. Must not be called
 * if SAMPLE_KEYS->mode is SAMPLE_COUNT_BRANCHES.
 */
uint64_t sample_keys_period(const struct sample_keys *sample_keys,
	const struct sample_key_source *source);
/*
 * Counts the branches of SOURCE's sample in CONTEXT, and adds their number to
 * TOTALS, the totals of the event.
 */
void sample_keys_count_branches(const struct sample_keys *sample_keys,
	struct stacks_raw *stacks, uint32_t context,
	const struct sample_key_source *source, struct sample_totals *totals);

/*
 * Returns the sample's weight, whose unit depends on the event (cycles, ...).
 */
sample_key_value sample_key_weight;
/* Returns the sample's enum offcpu_state. */
sample_key_value sample_key_state;

#endif
