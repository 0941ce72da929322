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

/* Conditions on the event, and from IF_NO_PERF on, on the caller. */
enum condition {
	ALWAYS,
	IF_RING_REFUSED,
	IF_TRACEPOINT,
	IF_BREAKPOINT,
	IF_HARDWARE_EVENT,
	IF_PMU_EVENT,
	IF_PRECISE_EVENT,
	IF_RATE_TOO_HIGH,
	IF_BACKWARD_RING,
	IF_READS_COUNTERS_OF_CHILDREN,
	IF_SLOW_CLOCK,
	IF_BRANCHES,
	IF_LBR,
	IF_REGISTERS,
	IF_STACK_COPY,
	IF_EXCLUSIVE_EVENT,
	IF_AUX_DATA,
	IF_LIMITS_CALLCHAIN_DEPTH,
	IF_GROUP_MEMBER,
	IF_CGROUP_REFUSED,
	IF_CPU_OFFLINE,
	IF_NO_PERF,
	IF_NO_PROC,
	IF_ROOT_OF_USERNS,
	IF_ROOT_WITHOUT_PERFMON,
	IF_KERNEL_LOCKED_DOWN,
	IF_PRIVILEGED_BUT_FILTERED,
	IF_PRIVILEGED_BUT_EXCLUDES_LEVELS,
	IF_PRIVILEGED_CALLER,
	IF_PROCESS_OF_OTHERS,
	IF_KERNEL_BREAKPOINT,
	IF_PROBE_EVENT,
	IF_EVERY_EVENT_FORBIDDEN,
	IF_PARANOID_TOO_HIGH,
	IF_SECCOMP_FILTER,
};

/* A row of the table. The last row of each errno has no condition. */
struct refusal {
	int errnum;
	enum condition condition;
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
