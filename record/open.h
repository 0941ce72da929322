/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All descriptors and rings of a recording. Each CPU has two rings: one that
 * the sideband events of all threads write to, and one for all samples. The
 * first descriptor on a CPU owns the ring, the others are redirected to it.
 */
#ifndef DWELL_RECORD_OPEN_H
#define DWELL_RECORD_OPEN_H

#include "common/hash.h"
#include "record/probe.h"
#include "record/ring.h"
#include "record/target.h"

struct opened_fd {
	int fd;
	uint32_t event; /* index into the selection; its size: sideband */
	uint32_t place; /* index of its CPU's rings */
	uint64_t id;    /* PERF_EVENT_IOC_ID */
};

struct opened_ring {
	struct ring ring;
	int owner; /* descriptor to poll; -1: nothing on this CPU */
};

struct opened {
	const struct opener *opener;
	struct selection *selection; /* borrowed */
	const struct target *target; /* borrowed */
	struct perf_event_attr sideband_attr;
	uint64_t sideband_id;        /* canonical */
	struct probe_limits limits;
	ARRAY(struct opened_fd) fds;
	/* One of each per online CPU. */
	struct opened_ring *sideband, *samples;
	size_t n_rings;
	struct hash_index by_id;     /* of fds */
	size_t sample_size, sideband_size; /* bytes of a ring */
	size_t wanted_size;                /* of both, before they shrank */
	bool is_size_asked, has_shrunk;
	pid_t first;         /* the thread that open_start() took, */
	uint64_t first_time; /* and when (CLOCK_MONOTONIC, ns) */
};

/*
 * Opens the sideband of one thread of the target, enabled, and its samples,
 * disabled, and maps the rings: of SAMPLE_SIZE bytes (0: a good size), or what
 * fits. For TARGET_COMMAND and TARGET_SYSTEM everything is open then.
 * SELECTION is adapted to what the kernel takes.
 */
struct error *open_start(struct opened *opened, const struct opener *opener,
	struct selection *selection, const struct target *target,
	size_t sample_size) _must_check_;

/*
 * Open one more thread; one that is gone by now is passed over. A thread that
 * open_start() took must not come again.
 */
struct error *open_sideband(struct opened *opened, pid_t tid) _must_check_;
struct error *open_samples(struct opened *opened, pid_t tid) _must_check_;

/* The index of the event that has ID; the selection's size for sideband. */
uint32_t opened_event(const struct opened *opened, uint64_t id);

/* To be called by the thread that opened: all events but the sideband. */
void opened_enable(void);
void opened_disable(void);
/* The samples of one event, or of all: they go on or stop; sideband stays. */
#define OPENED_ALL UINT32_MAX
void opened_switch(const struct opened *opened, uint32_t event, bool is_on);
void opened_deinit(struct opened *opened);

#endif
