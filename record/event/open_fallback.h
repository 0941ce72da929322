/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening an event on a kernel that may be old, a machine that may have no
 * such counter and for a user who may not be allowed to. What is refused is
 * given up one step at a time, in a fixed order: what only newer kernels offer
 * (record/event/kernel_features.h), precision, the kernel's part, the hardware counter. What
 * didn't help is put back. The user is told once, of that which was given up.
 */
#ifndef DWELL_RECORD_EVENT_OPEN_FALLBACK_H
#define DWELL_RECORD_EVENT_OPEN_FALLBACK_H

#include <sys/types.h>

#include "record/event/event.h"

/* How an event is opened; tests bring their own. */
struct opener {
	/*
	 * A descriptor, or -1 and errno. With E2BIG the kernel writes its own
	 * size of the attr into attr->size.
	 */
	int (*open)(const struct opener *opener,
		const struct perf_event_attr *attr, pid_t pid, int cpu);
	void *data;
	const int *leader; /* descriptor of its group's first event; or NULL */
};
/* What perf_event_open(2) takes for the group. */
static inline int opener_group(const struct opener *opener)
{
	return opener->leader ? *opener->leader : -1;
}

/* perf_event_open(2), close-on-exec. */
extern const struct opener opener_kernel;

/* What this kernel doesn't know, and what was said about it. */
struct probe_limits {
	uint32_t lacking, known; /* sets of offers, by index */
	bool has_told_user_only, has_told_clock, has_told_frequency;
};

/*
 * Opens the sideband event, taking out of ATTR what an old kernel refuses.
 * Returns the descriptor or -1 and errno.
 */
int probe_sideband(const struct opener *opener, struct perf_event_attr *attr,
	pid_t pid, int cpu, struct probe_limits *limits);
/*
 * The same for an event to sample; EVENT's name follows its attr. If it can't
 * be opened EVENT is what it was, but for the kernel's part if that was
 * refused.
 */
int probe_event(const struct opener *opener, struct selected *event, pid_t pid,
	int cpu, struct probe_limits *limits);

/* The kernel's limit for -F now; 0 if it doesn't tell. */
uint64_t probe_max_frequency(void);

#endif
