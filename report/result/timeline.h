/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the samples of a recording in the order of time, with resolved threads
 * and callers, for exports that show when code ran. Exports of sums use
 * counted_stacks.h.
 */
#ifndef DWELL_REPORT_RESULT_TIMELINE_H
#define DWELL_REPORT_RESULT_TIMELINE_H

#include "report/result/result.h"
#include "report/util/export_stream.h"

/* A line of the timeline: one event of one thread. */
struct timeline_thread {
	uint32_t event, pid, tid;
	uint32_t comm; /* its last name, for timeline_name() */
	bool is_rest;  /* for all threads beyond the memory limit */
};

struct timeline {
	struct options options; /* options of .result */
	struct result result;
	struct sequence *sequence;
	ARRAY(struct timeline_thread) threads;
	struct hash_index by_thread;
	/* Resolved call chains; cleared when they need too much memory. */
	ARRAY(struct timeline_chain {
		uint64_t hash; /* identifies the chain */
		size_t at, n;  /* range in .frames */
	})
	chains;
	ARRAY(uint32_t) frames;
	struct hash_index by_chain;
	bool is_full;	     /* no memory for new chains */
	uint64_t first_time; /* of the first reported sample */
	bool has_first;
};

/* The caller frees RET with timeline_deinit() also after an error. */
struct error *timeline_make(
	const struct options *options, struct timeline *ret) _must_check_;
void timeline_deinit(struct timeline *timeline);

struct timeline_moment {
	uint32_t thread; /* index in .threads; new threads get the next index */
	uint64_t time;	 /* ns since the first sample */
	uint64_t period;
	enum thread_state
		state; /* with --off-cpu or --wall; otherwise STATE_ON */
	/*
	 * Locations, the outermost caller first; borrowed until the function
	 * returns.
	 */
	const uint32_t *frames;
	size_t n; /* 0: no memory */
};
typedef void timeline_take(void *data, const struct timeline_moment *moment);
/*
 * Calls TAKE for all samples that pass the filters. Reports the progress to
 * OUT, and stops when writing to OUT fails.
 */
void timeline_run(struct timeline *timeline, struct outflow *out,
	timeline_take *take, void *data);

const struct event *timeline_event(
	const struct timeline *timeline, const struct timeline_thread *thread);
/* Returns the name of the thread's event, and whether its periods are in ns. */
const char *timeline_event_name(
	const struct timeline *timeline, const struct timeline_thread *thread);
bool timeline_counts_ns(
	const struct timeline *timeline, const struct timeline_thread *thread);
/* Returns the name of the thread, borrowed from TIMELINE or UNNAMED. */
const char *timeline_name(const struct timeline *timeline,
	const struct timeline_thread *thread, char unnamed[SURVEY_COMM_SIZE]);

#endif
