/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who asks the kernel for events, and from where: user, capabilities,
 * container, and the settings that decide what is refused. Read once; what
 * can't be read counts as absent.
 */
#ifndef DWELL_RECORD_EVENT_CALLER_CAPS_H
#define DWELL_RECORD_EVENT_CALLER_CAPS_H

#include "common/util/base.h"

/* linux/capability.h; some systems' headers lack the newer ones. */
enum asker_capability {
	CAPABILITY_IPC_LOCK = 14,
	CAPABILITY_SYS_PTRACE = 19,
	CAPABILITY_SYS_ADMIN = 21,
	CAPABILITY_PERFMON = 38,
	CAPABILITY_BPF = 39,
	CAPABILITY_CHECKPOINT_RESTORE = 40,
};

struct asker {
	bool is_root;	       /* effective uid 0, of whatever namespace */
	bool is_in_userns;     /* not the first one: no capability counts */
	bool is_contained;     /* in a container */
	bool is_filtered;      /* by seccomp */
	bool has_perf_events;  /* the kernel has them at all */
	bool has_no_proc;      /* nothing is mounted on /proc */
	uint64_t capabilities; /* effective, by bit */
	int64_t paranoid;      /* kernel.perf_event_paranoid */
	char lockdown[32];     /* the level; "" where there is none */
};

/* ROOT is "" or a made-up folder that stands for /. */
void asker_read(const char *root, struct asker *ret);

bool asker_has(const struct asker *asker, enum asker_capability capability);
/* May sample everything, whatever paranoid says (capabilities(7)). */
bool asker_is_free(const struct asker *asker);

#endif
