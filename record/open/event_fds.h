/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file descriptors of all events of a recording, and the ring buffers that
 * they write to. There is one descriptor per event and thread on each CPU, or
 * one per event on each CPU.
 */
#ifndef DWELL_RECORD_OPEN_EVENT_FDS_H
#define DWELL_RECORD_OPEN_EVENT_FDS_H

#include "common/util/hash.h"
#include "common/util/strbuf.h"
#include "record/event/open_fallback.h"
#include "record/open/target.h"
#include "record/ring/rings.h"
#include "record/synth/cgroups.h"

struct event_fd {
	int fd;		/* -1: closed */
	uint32_t event; /* index of the event in .selection; sideband: number of
			   events */
	uint32_t place; /* index of the CPU in target.online, and of its ring
			   buffers */
	uint64_t id;	/* PERF_EVENT_IOC_ID */
};

/* What to open, in addition to events and target. */
struct event_fds_config {
	size_t sample_size;   /* bytes of a ring buffer for samples; 0: the
				 default */
	bool has_all_cgroups; /* CGROUP records */
	bool has_namespaces;  /* NAMESPACES records */
	bool has_switches;    /* SWITCH records */
	bool has_data;	      /* also mappings of data */
	bool has_copy_size;   /* the user set the size of stack copies */
};

struct event_fds {
	const struct opener *opener;
	struct selection *selection; /* borrowed */
	const struct target *target; /* borrowed */
	struct event_fds_config config;
	struct cgroups cgroups;
	bool is_wide; /* sideband and all events are opened per CPU */
	struct perf_event_attr sideband_attr;
	struct perf_event_attr
		kernel_attr; /* of the event for kernel records; size 0: none */
	uint64_t sideband_id; /* canonical ID of the sideband event */
	struct open_fallback limits;
	ARRAY(struct event_fd) fds;
	ARRAY(int)
	trials;	      /* descriptors that are open only during open_start() */
	int *leaders; /* for each CPU index: leader of the group that is being
			 opened, or -1; owned */
	struct ring_set rings;
	/* The ring buffers in RINGS, one of each kind per online CPU. */
	struct rings_entry *sideband, *samples;
	size_t n_rings;
	struct hash_index by_id; /* index of .fds by event ID */
};

/* Returns whether all events are opened per CPU, not per thread. */
bool event_fds_are_cpu_wide(const struct event_fds *opened);
/*
 * Returns the event index of the sideband event, which is the number of events
 * of the selection.
 */
uint32_t event_fds_sideband(const struct event_fds *opened);

/*
 * Adds descriptor FD of EVENT on the CPU with index PLACE, and redirects its
 * output to the ring buffer of this CPU. Takes ownership of FD. Returns 0 or an
 * errno.
 */
int event_fds_add(
	struct event_fds *opened, int fd, uint32_t event, uint32_t place);
/*
 * Closes N descriptors from index FIRST_FD on, which also closes the events
 * that were inherited from these events.
 */
void event_fds_close(struct event_fds *opened, size_t first_fd, size_t n);
/*
 * Returns the index of the event with ID; event_fds_sideband() for the sideband
 * event.
 */
uint32_t event_fds_event(const struct event_fds *opened, uint64_t id);

/*
 * struct read_format of linux/perf_event.h with only PERF_FORMAT_ID and
 * PERF_FORMAT_LOST.
 */
struct event_counter {
	uint64_t value, id, lost;
};
/*
 * Reads the counter of FD, whose event is not PERF_FORMAT_GROUP. Returns false if the
 * CPU of FD is offline.
 */
bool event_fds_read(const struct event_fd *fd, struct event_counter *ret);

/*
 * Enable or disable all events but the sideband event. Call these functions in
 * the thread that opened the events.
 */
void event_fds_enable(const struct event_fds *opened);
void event_fds_disable(void);
/*
 * Enables only the events that are opened per CPU, which an exec does not
 * enable.
 */
void event_fds_enable_wide(const struct event_fds *opened);
/*
 * Enables or disables the samples of EVENT, or of all events (EVENT_FDS_ALL).
 * The sideband event stays enabled.
 */
#define EVENT_FDS_ALL UINT32_MAX
void event_fds_switch(
	const struct event_fds *opened, uint32_t event, bool is_on);
/*
 * Repeats the last enabling or disabling of all events (selected.is_on) for
 * threads that it did not reach: a thread keeps the old state if it is created
 * while the events of its parent are enabled or disabled. At a context switch
 * the kernel swaps equal events of two threads, so that further threads of the
 * parent can get the old state.
 */
void event_fds_switch_again(const struct event_fds *opened);
void event_fds_deinit(struct event_fds *opened);

/*
 * Appends one line per event to OUT as perf evlist does, the event SIDEBAND
 * (NULL: none) last. FLAGS are those of perf evlist: -F prints the frequency,
 * -v all fields of the attribute, -g the groups, of which there are none.
 */
void event_fds_print(const struct selection *selection,
	const struct perf_event_attr *sideband, const char *flags,
	struct strbuf *out);

/*
 * Excludes the recorder itself (--exclude-perf) from tracepoints, which the
 * recorder would otherwise cause as fast as it reads them. The kernel cannot
 * exclude threads from other events; the drain drops these samples. Call this
 * function when all threads of the recorder are running.
 */
void event_fds_exclude_self(const struct event_fds *opened);

#endif
