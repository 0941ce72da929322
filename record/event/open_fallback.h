/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens an event, and gives up optional properties one at a time if the kernel
 * refuses it: features of newer kernels (kernel_features.h), precision, samples
 * of the kernel, the hardware counter. If the removal of a property did not
 * help, the property is restored. Each removal is reported once.
 */
#ifndef DWELL_RECORD_EVENT_OPEN_FALLBACK_H
#define DWELL_RECORD_EVENT_OPEN_FALLBACK_H

#include <sys/types.h>

#include "record/event/event.h"

/* The function that opens events; tests replace it. */
struct opener {
	/*
	 * Returns a descriptor, or -1 and errno. On E2BIG, attr->size is set to
	 * the kernel's size of the attribute, as the kernel does.
	 */
	int (*open)(const struct opener *opener,
		const struct perf_event_attr *attr, pid_t pid, int cpu);
	void *data;
	const int *leader; /* descriptor of the leader of the group, or NULL */
	/* Descriptor of the control group that is opened instead of pid, or NULL. */
	const int *cgroup;
};
/* Returns the group argument of perf_event_open(2). */
static inline int opener_group(const struct opener *opener)
{
	return opener->leader ? *opener->leader : -1;
}

/* Calls perf_event_open(2) with close-on-exec. */
extern const struct opener opener_kernel;

/* Which features this kernel lacks or has, and which messages were printed. */
struct open_fallback {
	uint32_t lacking, known; /* bit sets of indexes of kernel_features */
	bool has_reported_user_only, has_reported_clock, has_reported_frequency;
	bool counts; /* events do not sample: no timer replaces a counter */
};

/*
 * Opens the sideband event, and removes from ATTR the features that this kernel
 * lacks. Returns the descriptor, or -1 and errno.
 */
int open_fallback_sideband(const struct opener *opener,
	struct perf_event_attr *attr, pid_t pid, int cpu,
	struct open_fallback *limits);
/*
 * Opens EVENT and updates the attribute and the name of EVENT
 * to what the kernel accepted. If EVENT cannot be opened, it is restored,
 * except after EACCES or EPERM, so that the kernel stays excluded. Returns the
 * descriptor, or -1 and errno.
 */
int open_fallback_event(const struct opener *opener,
	struct selection_event *event, pid_t pid, int cpu,
	struct open_fallback *limits);

struct kernel_feature;
/* Returns whether the kernel refuses an event with FEATURE. */
bool open_fallback_lacks(
	const struct opener *opener, const struct kernel_feature *feature);

/* Returns the current limit of -F in Hz; 0 if unknown. */
uint64_t open_fallback_max_frequency(void);

#endif
