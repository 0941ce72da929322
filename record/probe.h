/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening an event on a kernel that may be old, a machine that may have no
 * such counter and for a user who may not be allowed to: what is refused is
 * given up one step at a time, and the user is told once, with the command
 * that would give it back.
 */
#ifndef DWELL_RECORD_PROBE_H
#define DWELL_RECORD_PROBE_H

#include <sys/types.h>

#include "common/error.h"
#include "record/event.h"

/* How an event is opened; tests bring their own. */
struct opener {
	/* A descriptor, or -1 and errno. */
	int (*open)(void *data, const struct perf_event_attr *attr, pid_t pid,
		int cpu);
	void *data;
};
/* perf_event_open(2), close-on-exec. */
extern const struct opener opener_kernel;

/* What this kernel doesn't know, found out with the sideband event. */
struct probe_limits {
	uint64_t read_format; /* bits to leave out */
	bool has_told_user_only, has_told_clock, has_told_frequency;
};

/*
 * Opens the sideband event, taking out of ATTR what an old kernel refuses.
 * Returns the descriptor or -1 and errno.
 */
int probe_sideband(const struct opener *opener, struct perf_event_attr *attr,
	pid_t pid, int cpu, struct probe_limits *limits);
/* The same for an event to sample; EVENT's name follows its attr. */
int probe_event(const struct opener *opener, struct selected *event, pid_t pid,
	int cpu, struct probe_limits *limits);

/*
 * The one line for a user why NAME can't be opened for PID (-1: all), and what
 * to do.
 */
struct error *probe_explain(
	int errnum, const char *name, pid_t pid) _must_check_;

/* The kernel's limit for -F now; 0 if it doesn't tell. */
uint64_t probe_max_frequency(void);

#endif
