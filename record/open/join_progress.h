/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which threads are sampled already while a running process is joined. A
 * thread's events are inherited by those it makes, so a thread that appears
 * meanwhile may have its parent's events, or none, or some of them if it was
 * made while they were opened. Only the times of FORK records tell, and they
 * are later than the moment of inheriting. Nothing here asks the kernel.
 *
 * Times are those of the recording's clock, in ns.
 */
#ifndef DWELL_RECORD_OPEN_JOIN_PROGRESS_H
#define DWELL_RECORD_OPEN_JOIN_PROGRESS_H

#include <sys/types.h>

#include "common/perf/record.h"
#include "common/util/array.h"
#include "common/util/hash.h"

struct join {
	pid_t tid;
	/* Whose descriptors sample it, itself or an ancestor; 0: nobody's. */
	pid_t root;
	/* When its own descriptors were opened, and which they are. */
	uint64_t begin, end;
	size_t first_fd, n_fds;
	/* The FORK that made it; PARENT 0: it was there before. */
	pid_t parent;
	uint64_t born;
	uint64_t parent_free; /* its parent's FORK before that one; 0: none */
	uint64_t last_fork;   /* the last one it made, and whom; 0: none */
	pid_t last_child;
};

/* A zeroed one is empty. */
struct joins {
	bool inherits; /* the events are passed on to new threads */
	ARRAY(struct join) list;
	struct hash_index by_tid;
};

enum join_relation {
	JOIN_APART,    /* it has nothing of its parent's */
	JOIN_INHERITS, /* it has all that its parent has */
	JOIN_UNSURE,   /* it may have something, or all */
};

/* The entry of TID, a new one if need be; until the next call for another. */
struct join *joins_get(struct joins *joins, pid_t tid);
/* A FORK came by: in any order, but twice only one right after the other. */
void joins_see_fork(struct joins *joins, const struct record_task *fork);
/* What thread TID has from its parent. */
enum join_relation joins_relation(struct joins *joins, pid_t tid);
/* The root of TID's parent; 0 if it has none. */
pid_t joins_parent_root(struct joins *joins, pid_t tid);
/*
 * Whoever has something of its parent's gets its parent's root, also those that
 * nobody has asked for: they may be gone by now, and have passed it on.
 */
void joins_adopt(struct joins *joins);
/* ROOT's descriptors were closed: whoever was sampled by them no longer is. */
void joins_undo(struct joins *joins, pid_t root);
/* Whoever was sampled by FROM's descriptors is by those of TO. */
void joins_move(struct joins *joins, pid_t from, pid_t to);
void joins_free(struct joins *joins);

#endif
