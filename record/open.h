/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All descriptors of a recording, and the rings that they write to. Each
 * thread has one per event and CPU, or each CPU one per event.
 */
#ifndef DWELL_RECORD_OPEN_H
#define DWELL_RECORD_OPEN_H

#include "common/hash.h"
#include "record/cgroups.h"
#include "record/probe.h"
#include "record/rings.h"
#include "record/target.h"

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
	struct perf_event_attr sideband_attr;
	struct perf_event_attr
		kernel_attr;  /* of its second event; size 0: none */
	uint64_t sideband_id; /* canonical */
	struct probe_limits limits;
	ARRAY(struct opened_fd) fds;
	ARRAY(int) trials; /* those of tracepoints, during open_start() */
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
};

/*
 * Adapts SELECTION to what the kernel takes, opens the rings, as large as they
 * may be, and gives each event its canonical id. For TARGET_COMMAND and
 * TARGET_SYSTEM all events are open then, sideband enabled and samples
 * disabled; else attach() opens them.
 */
struct error *open_start(struct opened *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	const struct open_wish *wish) _must_check_;

/*
 * Open one more thread's sideband, enabled, or samples, disabled. One that is
 * gone by now is passed over.
 */
struct error *open_sideband(struct opened *opened, pid_t tid) _must_check_;
struct error *open_samples(struct opened *opened, pid_t tid) _must_check_;
/* Closes N of the descriptors, and all that were inherited from them. */
void opened_close(struct opened *opened, size_t first_fd, size_t n);
/* How many descriptors a thread takes, sideband included. */
size_t opened_per_thread(const struct opened *opened);

/* The index of the event that has ID; the selection's size for sideband. */
uint32_t opened_event(const struct opened *opened, uint64_t id);

/*
 * Opens everything anew on a CPU that was offline meanwhile, if events are of
 * whole CPUs (a thread's own outlive that): the old ones never count again.
 * Nothing may read the rings meanwhile.
 */
struct error *opened_return(struct opened *opened, uint32_t cpu) _must_check_;

/* To be called by the thread that opened: all events but the sideband. */
void opened_enable(const struct opened *opened);
void opened_disable(void);
/* The samples of one event, or of all: they go on or stop; sideband stays. */
#define OPENED_ALL UINT32_MAX
void opened_switch(const struct opened *opened, uint32_t event, bool is_on);
void opened_deinit(struct opened *opened);

#endif
