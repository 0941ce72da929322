/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracks which threads are sampled while dwell attaches to a running process.
 * New threads inherit the events of their parent, so a thread that appears
 * meanwhile has the events of its parent, none, or some if it was created while
 * they were opened. Only the times of FORK records show which, and they are
 * later than the moment of inheriting. Makes no system calls.
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
	 * The thread whose descriptors sample this one: itself or an ancestor;
	 * 0: not sampled.
	 */
	pid_t root;
	/* When its own descriptors were opened, and their indexes. */
	uint64_t begin, end;
	size_t first_fd, n_fds;
	/* The FORK that created it; PARENT 0: it existed before. */
	pid_t parent;
	uint64_t born;
	uint64_t parent_free; /* the previous FORK of its parent; 0: none */
	uint64_t last_fork;   /* its last FORK and the new thread; 0: none */
	pid_t last_child;
};

/* A zero-initialized struct is empty. */
struct joins {
	bool inherits; /* new threads inherit the events */
	ARRAY(struct join) list;
	struct hash_index by_tid;
};

enum join_relation {
	JOIN_APART,    /* it has no events of its parent */
	JOIN_INHERITS, /* it has all events of its parent */
	JOIN_UNSURE,   /* it can have all, some or no events of its parent */
};

/*
 * Returns the entry of TID, which is created if necessary. Valid until the next
 * call for another thread.
 */
struct join *joins_get(struct joins *joins, pid_t tid);
/*
 * Adds a FORK record. Records can come in any order; duplicates must be
 * adjacent.
 */
void joins_add_fork(struct joins *joins, const struct record_task *fork);
/* Returns which events thread TID has from its parent. */
enum join_relation joins_relation(struct joins *joins, pid_t tid);
/* Returns the root of the parent of TID; 0 if it has none. */
pid_t joins_parent_root(struct joins *joins, pid_t tid);
/*
 * Sets the root of each thread that inherited events to the root of its parent,
 * also of threads without queries: they can have ended and passed the events
 * on.
 */
void joins_inherit_roots(struct joins *joins);
/* After closing the descriptors of ROOT: its threads are no longer sampled. */
void joins_remove_root(struct joins *joins, pid_t root);
/* The threads that FROM's descriptors sampled are sampled by those of TO. */
void joins_replace_root(struct joins *joins, pid_t from, pid_t to);
void joins_free(struct joins *joins);

#endif
