/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of the causes and remedies for each errno of perf_event_open(2) and
 * of mapping a ring buffer. The cause of an errno depends on the event's
 * attributes and on the caller's privileges: the first row that applies is
 * used.
 */
#ifndef DWELL_RECORD_EVENT_REFUSAL_H
#define DWELL_RECORD_EVENT_REFUSAL_H

#include <sys/types.h>

#include "common/perf/abi.h"
#include "common/util/base.h"
#include "record/event/caller_caps.h"

/* A refused request to open an event. All pointers are borrowed. */
struct refused {
	int errnum;
	const char *name; /* of the event; NULL: the sideband event */
	const struct perf_event_attr *attr; /* attributes of the last attempt */
	pid_t pid;			    /* -1: all processes on CPU */
	int cpu;
	bool is_ring; /* the event was opened; mapping its ring buffer failed */
	const struct caller_caps *caller;
	bool is_of_others; /* PID belongs to another user */
	bool is_member;	   /* in a group, but not its first event */
	bool has_cgroup;   /* counts a control group */
};

/* A row of the table. The last row of each errno has no condition. */
struct refusal {
	int errnum;
	int condition; /* an enum condition of refusal.c; 0: always */
	/* With placeholders such as {pid} and {paranoid}, see explain.c. */
	const char *why, *remedy;
};
extern const struct refusal refusals[];
extern const size_t n_refusals;

/* Returns the first row of the table that applies to REFUSED; never NULL. */
const struct refusal *refusal_find(const struct refused *refused);
/* Returns the kernel.perf_event_paranoid that allows REFUSED to every user. */
int refused_paranoid(const struct refused *refused);

#endif
