/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Privileges of this process for opening events: user, capabilities, container,
 * and the settings of the kernel. Read once. A value that cannot be read counts
 * as absent.
 */
#ifndef DWELL_RECORD_EVENT_CALLER_CAPS_H
#define DWELL_RECORD_EVENT_CALLER_CAPS_H

#include "common/util/base.h"

/*
 * Numbers of linux/capability.h; the headers of older systems lack the newer
 * capabilities.
 */
enum caller_cap {
	CALLER_CAP_IPC_LOCK = 14,
	CALLER_CAP_SYS_PTRACE = 19,
	CALLER_CAP_SYS_ADMIN = 21,
	CALLER_CAP_PERFMON = 38,
	CALLER_CAP_BPF = 39,
	CALLER_CAP_CHECKPOINT_RESTORE = 40,
};

struct caller_caps {
	bool is_root;	       /* effective user ID 0, in any user namespace */
	bool is_in_userns;     /* in a user namespace: capabilities do not allow
				  events */
	bool is_contained;     /* in a container */
	bool is_filtered;      /* a seccomp filter is installed */
	bool has_perf_events;  /* the kernel has perf events */
	bool has_no_proc;      /* nothing is mounted on /proc */
	uint64_t capabilities; /* effective capabilities, one bit each */
	int64_t paranoid;      /* kernel.perf_event_paranoid */
	char lockdown[32];     /* lockdown level; "" if there is none */
};

/* Reads the privileges. ROOT is "" or a folder used as /. */
void caller_caps_read(const char *root, struct caller_caps *ret);

bool caller_caps_has(
	const struct caller_caps *caller, enum caller_cap capability);
/*
 * Returns whether perf_event_paranoid does not restrict the process
 * (capabilities(7)).
 */
bool caller_caps_are_full(const struct caller_caps *caller);

#endif
