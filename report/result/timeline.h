/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the samples of a recording in the order of time, with resolved threads
 * and callers, for exports that show when code ran. Exports of sums use
 * counted_stacks.h.
 */
#ifndef DWELL_REPORT_RESULT_TIMELINE_H
#define DWELL_REPORT_RESULT_TIMELINE_H

#include "report/result/result.h"
#include "report/transform/cut_stacks.h"
#include "report/transform/transform.h"
#include "report/util/outflow.h"

/* A line of the timeline: one event of one thread. */
struct timeline_thread {
	uint32_t event;
	struct thread_ids ids;
	uint32_t comm;	 /* last name of the thread, for timeline_name() */
	uint64_t latest; /* time of the last moment */
	bool is_rest;	 /* stands for all threads beyond the memory limit */
};

struct timeline {
	struct options options; /* options of .result */
	struct result result;
	struct ordered_samples *ordered;
	/*
	 * With transforms: their state, a buffer for one stack, and the filter
	 * of the changed stacks. The lists of the filter are borrowed.
	 * Otherwise NULL and empty.
	 */
	struct transformer *transformer;
	struct transform_path path;
	struct filter code_filter;
	struct cut_stacks cut;
	ARRAY(struct timeline_thread) threads;
	struct hash_index by_thread;
	/*
	 * A cache of resolved call chains; cleared when the chains need too
	 * much memory.
	 */
	ARRAY(struct timeline_chain {
		uint64_t hash;	  /* identifies the chain */
		size_t at, n;	  /* range in .frames */
		bool is_left_out; /* by transforms, or by .code_filter */
	})
	chains;
	ARRAY(uint32_t) frames;
	struct hash_index by_chain;
	bool is_full;	     /* no memory for new chains */
	uint64_t first_time; /* of the first reported sample */
	bool has_first;
};

/*
 * Prepares the timeline of the recording that OPTIONS name. The caller frees
 * RET with timeline_deinit() also after an error.
 */
struct error *timeline_make(
	const struct options *options, struct timeline *ret) _must_check_;
void timeline_deinit(struct timeline *timeline);

struct timeline_moment {
	uint32_t thread; /* index in timeline.threads; new threads are last */
	uint64_t time;	 /* ns since the first sample */
	uint64_t period;
	enum offcpu_state
		state; /* with --off-cpu or --wall; otherwise OFFCPU_STATE_ON */
	/*
	 * Locations of the call chain, the outermost caller first; borrowed
	 * until the timeline_take function returns.
	 */
	const uint32_t *frames;
	size_t n; /* number of .frames; 0: no memory for the call chain */
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
/*
 * timeline_event_name() returns the name of THREAD's event,
 * timeline_counts_ns() whether the periods of the event are in nanoseconds.
 */
const char *timeline_event_name(
	const struct timeline *timeline, const struct timeline_thread *thread);
bool timeline_counts_ns(
	const struct timeline *timeline, const struct timeline_thread *thread);
/* Returns the name of THREAD, borrowed from TIMELINE or UNNAMED. */
const char *timeline_name(const struct timeline *timeline,
	const struct timeline_thread *thread, char unnamed[SURVEY_COMM_SIZE]);

#endif
