/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says no to, in words: each errno of perf_event_open(2), and
 * of mapping its ring, with its cause and one remedy. What one errno means is
 * told by what was asked, and by who asked: one table, of which the first row
 * that applies is the answer.
 */
#ifndef DWELL_RECORD_EVENT_REFUSAL_H
#define DWELL_RECORD_EVENT_REFUSAL_H

#include <sys/types.h>

#include "common/perf/abi.h"
#include "common/util/base.h"
#include "record/event/caller_caps.h"

/* One question to the kernel. All is borrowed. */
struct refused {
	int errnum;
	const char *name;		    /* of the event, for users */
	const struct perf_event_attr *attr; /* as it was tried last */
	pid_t pid;			    /* -1: all on the CPU */
	int cpu;
	bool is_ring; /* the event was opened, its ring was refused */
	const struct asker *asker;
	bool is_of_others; /* PID is another user's */
	bool is_member;	   /* of a group, and not its first event */
};

/* One answer; the last one for an errno applies always. */
struct refusal {
	int errnum;
	bool (*applies)(const struct refused *refused); /* NULL: always */
	/* With {name}, {pid}, {cpu}, {paranoid}, ... for what was asked. */
	const char *why, *remedy;
};
extern const struct refusal refusals[];
extern const size_t n_refusals;

/* The row that answers; never NULL. */
const struct refusal *refusal_find(const struct refused *refused);
/* The kernel.perf_event_paranoid that would allow it to anybody. */
int refused_paranoid(const struct refused *refused);

#endif
