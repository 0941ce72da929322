/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks which threads are sampled while dwell attaches to a running process.
 * New threads inherit the events of their parent, so a thread that appears
 * meanwhile has all events of its parent, none of them, or some of them if the
 * thread was created while the events were opened. Only the time of its FORK
 * record shows which, and this time is later than the moment of inheriting.
 * Makes no system calls.
 *
 * Times are in ns of the clock of the recording.
 */
#ifndef DWELL_RECORD_OPEN_JOIN_PROGRESS_H
#define DWELL_RECORD_OPEN_JOIN_PROGRESS_H

#include <sys/types.h>

#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/hash.h"

struct join {
	pid_t tid;
	/*
	 * The thread whose descriptors sample TID: TID itself or an ancestor;
	 * 0: TID is not sampled.
	 */
	pid_t root;
	/*
	 * When descriptors for TID itself were opened, and their indexes in
	 * event_fds.fds.
	 */
	uint64_t begin, end;
	size_t first_fd, n_fds;
	/*
	 * The FORK record that created TID: parent and time; PARENT 0: TID
	 * existed before.
	 */
	pid_t parent;
	uint64_t born;
	uint64_t parent_free; /* time of the parent's previous FORK record; 0:
				 none */
	uint64_t last_fork;   /* last FORK record with TID as parent: time and
				 child; 0: none */
	pid_t last_child;
};

/* A zero-initialized struct is empty. */
struct joins {
	bool inherits; /* new threads inherit the events */
	ARRAY(struct join) list;
	struct hash_index by_tid;
};

enum join_relation {
	JOIN_APART,    /* the thread has no events of its parent */
	JOIN_INHERITS, /* the thread has all events of its parent */
	JOIN_UNSURE, /* the thread can have all, some or no events of its parent
		      */
};

/*
 * Returns the struct join of TID, which is created if necessary. The pointer is
 * valid until the next joins_get() for another thread.
 */
struct join *joins_get(struct joins *joins, pid_t tid);
/*
 * Adds a FORK record. Records can come in any order; duplicates must be
 * adjacent.
 */
void joins_add_fork(struct joins *joins, const struct record_task *fork);
/* Returns which events thread TID has inherited from its parent. */
enum join_relation joins_relation(struct joins *joins, pid_t tid);
/* Returns .root of the parent of TID; 0 if TID has no known parent. */
pid_t joins_parent_root(struct joins *joins, pid_t tid);
/*
 * Sets .root of each thread that inherited events to .root of its parent.
 * Includes threads that have ended, because their children inherited the
 * events, too.
 */
void joins_inherit_roots(struct joins *joins);
/*
 * Marks the threads that the descriptors of ROOT sampled as not sampled. Call
 * this function after closing these descriptors.
 */
void joins_remove_root(struct joins *joins, pid_t root);
/*
 * Marks the threads that the descriptors of FROM sampled as sampled by the
 * descriptors of TO.
 */
void joins_replace_root(struct joins *joins, pid_t from, pid_t to);
void joins_free(struct joins *joins);

#endif
