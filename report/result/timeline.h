/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of a recording in the order of time, each with its thread and its
 * callers resolved: for exports that show when something ran. For what adds up
 * there is counted_stacks.h.
 */
#ifndef DWELL_REPORT_RESULT_TIMELINE_H
#define DWELL_REPORT_RESULT_TIMELINE_H

#include "report/result/result.h"
#include "report/util/export_stream.h"

/* What is one line of time. Two events of a thread are two. */
struct timeline_thread {
	uint32_t event, pid, tid;
	uint32_t comm;  /* what it was called last, for timeline_name() */
	bool is_rest;   /* of threads that there was no memory for */
};

struct timeline {
	struct options options; /* of RESULT, changed for this */
	struct result result;
	struct sequence *sequence;
	ARRAY(struct timeline_thread) threads;
	struct hash_index by_thread;
	/* Chains as locations; forgotten when they are too many. */
	ARRAY(struct timeline_chain {
		uint64_t hash; /* told apart by it, as stacks are */
		size_t at, n;  /* in .frames */
	}) chains;
	ARRAY(uint32_t) frames;
	struct hash_index by_chain;
	bool is_full; /* new chains have no memory any more */
	uint64_t first_time; /* of the first sample that was given */
	bool has_first;
};

/* RET is to be given to timeline_deinit() also after an error. */
struct error *timeline_make(const struct options *options,
	struct timeline *ret) _must_check_;
void timeline_deinit(struct timeline *timeline);

struct timeline_moment {
	uint32_t thread;  /* a number of .threads; a new one is the highest */
	uint64_t time;    /* ns since the first sample */
	uint64_t period;
	enum thread_state state; /* where time is counted; else STATE_ON */
	/* Numbers of locations, the outermost caller first; borrowed. */
	const uint32_t *frames;
	size_t n;         /* 0: there was no memory for them */
};
typedef void timeline_take(void *data, const struct timeline_moment *moment);
/*
 * All that pass the filters. OUT hears how far it is, and if nobody takes what
 * comes out, nothing is given any more.
 */
void timeline_run(struct timeline *timeline, struct outflow *out,
	timeline_take *take, void *data);

const struct event *timeline_event(
	const struct timeline *timeline, const struct timeline_thread *thread);
/* What it is called where events are told apart; and whether periods are ns. */
const char *timeline_event_name(
	const struct timeline *timeline, const struct timeline_thread *thread);
bool timeline_counts_ns(
	const struct timeline *timeline, const struct timeline_thread *thread);
/* What it is called; borrowed from either. */
const char *timeline_name(const struct timeline *timeline,
	const struct timeline_thread *thread, char unnamed[SURVEY_COMM_SIZE]);

#endif
