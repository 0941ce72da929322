/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All descriptors of a recording, and the rings that they write to. Each
 * thread has one per event and CPU, or each CPU one per event.
 */
#ifndef DWELL_RECORD_OPEN_EVENT_FDS_H
#define DWELL_RECORD_OPEN_EVENT_FDS_H

#include "common/util/hash.h"
#include "record/event/open_fallback.h"
#include "record/open/target.h"
#include "record/ring/rings.h"
#include "record/synth/cgroups.h"

struct opened_fd {
	int fd;		/* -1: closed since */
	uint32_t event; /* index into the selection; its size: sideband */
	uint32_t place; /* index of its CPU's rings */
	uint64_t id;	/* PERF_EVENT_IOC_ID */
};

struct opened {
	const struct opener *opener;
	struct selection *selection;  /* borrowed */
	const struct target *target;  /* borrowed */
	const struct open_wish *wish; /* borrowed */
	struct cgroups cgroups;
	bool is_wide; /* the sideband is of CPUs, and so are all events */
	struct perf_event_attr sideband_attr;
	struct perf_event_attr
		kernel_attr;  /* of its second event; size 0: none */
	uint64_t sideband_id; /* canonical */
	struct probe_limits limits;
	ARRAY(struct opened_fd) fds;
	ARRAY(int) trials; /* those that are needed during open_start() */
	int *leaders; /* of the group that is being opened, by place; or -1 */
	struct ring_set rings;
	/* Those of RINGS: one of each per online CPU. */
	struct opened_ring *sideband, *samples;
	size_t n_rings;
	struct hash_index by_id; /* of fds */
};

/* What is asked for beside events and target. */
struct open_wish {
	size_t sample_size;   /* of a ring for samples; 0: a good one */
	const char *cgroups;  /* -G; NULL: none */
	bool has_all_cgroups; /* CGROUP records */
	bool has_namespaces;  /* NAMESPACES records */
	bool has_switches;    /* SWITCH records */
	bool has_data;        /* mappings of data, too */
	bool has_dump_size;   /* the user says how much of stacks is copied */
};

/* Whether its events are of CPUs, whatever runs there, not of threads. */
bool opened_is_cpu_wide(const struct opened *opened);
/* What stands for the sideband among events: the selection's size. */
uint32_t opened_sideband(const struct opened *opened);

/*
 * One more descriptor, of EVENT on the CPU whose rings have the index PLACE,
 * redirected to its ring. Takes ownership of FD. Returns 0 or an errno.
 */
int opened_add(
	struct opened *opened, int fd, uint32_t event, uint32_t place);
/* Closes N of the descriptors, and all that were inherited from them. */
void opened_close(struct opened *opened, size_t first_fd, size_t n);
/* The index of the event that has ID; the selection's size for sideband. */
uint32_t opened_event(const struct opened *opened, uint64_t id);

/* To be called by the thread that opened: all events but the sideband. */
void opened_enable(const struct opened *opened);
void opened_disable(void);
/* Only those of whole CPUs, which no exec switches on. */
void opened_enable_wide(const struct opened *opened);
/* The samples of one event, or of all: they go on or stop; sideband stays. */
#define OPENED_ALL UINT32_MAX
void opened_switch(const struct opened *opened, uint32_t event, bool is_on);
/*
 * All of them once more as they are. The kernel misses a thread that is being
 * made while its parent's events are switched and, as it swaps equal events of
 * two threads when one follows the other on a CPU, from then on perhaps
 * all that the parent makes; the second time it finds them.
 */
void opened_switch_again(const struct opened *opened);
void opened_deinit(struct opened *opened);

#endif
