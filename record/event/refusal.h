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
struct refusal_case {
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

/* Conditions on the event, and from REFUSAL_IF_NO_PERF on, on the caller. */
enum refusal_condition {
	REFUSAL_ALWAYS,
	REFUSAL_IF_RING_REFUSED,
	REFUSAL_IF_TRACEPOINT,
	REFUSAL_IF_BREAKPOINT,
	REFUSAL_IF_HARDWARE_EVENT,
	REFUSAL_IF_PMU_EVENT,
	REFUSAL_IF_PRECISE_EVENT,
	REFUSAL_IF_RATE_TOO_HIGH,
	REFUSAL_IF_BACKWARD_RING,
	REFUSAL_IF_READS_COUNTERS_OF_CHILDREN,
	REFUSAL_IF_SLOW_CLOCK,
	REFUSAL_IF_BRANCHES,
	REFUSAL_IF_LBR,
	REFUSAL_IF_REGISTERS,
	REFUSAL_IF_STACK_COPY,
	REFUSAL_IF_EXCLUSIVE_EVENT,
	REFUSAL_IF_AUX_DATA,
	REFUSAL_IF_LIMITS_CALLCHAIN_DEPTH,
	REFUSAL_IF_GROUP_MEMBER,
	REFUSAL_IF_CGROUP_REFUSED,
	REFUSAL_IF_CPU_OFFLINE,
	REFUSAL_IF_NO_PERF,
	REFUSAL_IF_NO_PROC,
	REFUSAL_IF_ROOT_OF_USERNS,
	REFUSAL_IF_ROOT_WITHOUT_PERFMON,
	REFUSAL_IF_KERNEL_LOCKED_DOWN,
	REFUSAL_IF_PRIVILEGED_BUT_FILTERED,
	REFUSAL_IF_PRIVILEGED_BUT_EXCLUDES_LEVELS,
	REFUSAL_IF_PRIVILEGED_CALLER,
	REFUSAL_IF_PROCESS_OF_OTHERS,
	REFUSAL_IF_KERNEL_BREAKPOINT,
	REFUSAL_IF_PROBE_EVENT,
	REFUSAL_IF_EVERY_EVENT_FORBIDDEN,
	REFUSAL_IF_PARANOID_TOO_HIGH,
	REFUSAL_IF_SECCOMP_FILTER,
};

/* A row of the table. The last row of each errno has no condition. */
struct refusal {
	int errnum;
	enum refusal_condition condition;
	/* With placeholders such as {pid} and {paranoid}, see explain.c. */
	const char *why, *remedy;
};
extern const struct refusal refusals[];
extern const size_t n_refusals;

/* Returns the first row of the table that applies to REFUSED; never NULL. */
const struct refusal *refusal_find(const struct refusal_case *refused);
/* Returns the kernel.perf_event_paranoid that allows REFUSED to every user. */
int refusal_paranoid(const struct refusal_case *refused);

#endif
