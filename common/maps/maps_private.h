/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data structures of address spaces, for maps*.c only; include maps.h first. A
 * space is the root of a treap; its nodes are disjoint address ranges. Spaces
 * share nodes. A process has a current epoch, a number that no other process
 * has. A node may be changed in place only in the epoch in which it was
 * created, and is copied in other epochs. So a fork copies one root, and
 * replacing a mapping copies the path to its node.
 */
#ifndef DWELL_COMMON_MAPS_MAPS_PRIVATE_H
#define DWELL_COMMON_MAPS_MAPS_PRIVATE_H

#include "common/util/array.h"
#include "common/util/hash.h"

#define NO_NODE 0u

struct maps_node {
	uint64_t start, end; /* part that no newer mapping covers */
	uint32_t mapping;
	uint32_t left, right;
	uint32_t priority;
	uint32_t epoch;
};

struct maps_process {
	uint32_t pid;
	uint32_t epoch; /* epoch of the newest space */
	ARRAY(struct space_version {
		uint64_t time;
		uint32_t space;
	})
	versions;
};

struct maps_thread {
	uint32_t pid, tid;
	uint64_t ended; /* time of the end; 0: alive */
	ARRAY(struct maps_comm {
		uint64_t time;
		uint32_t comm;
		uint32_t use; /* tid_use of maps_context */
	})
	comms;
};

struct maps {
	ARRAY(struct maps_node) nodes;
	ARRAY(struct mapping) mappings;
	ARRAY(struct space {
		uint32_t root;
		/* space that the exec replaced, or MAPS_NO_SPACE */
		uint32_t before_exec;
		uint32_t program; /* see maps_program() */
	})
	spaces;
	ARRAY(struct maps_process) processes;
	ARRAY(struct maps_thread) threads;
	ARRAY(struct dso) dsos;
	ARRAY(char *) comms;
	struct hash_index by_pid, by_tid, by_dso, by_comm;
	uint32_t epochs, programs, random;
};

/*
 * Return the process or thread, or NULL if it is unknown. Borrowed until the
 * next process or thread is added.
 */
struct maps_process *maps_process(const struct maps *maps, uint32_t pid);
struct maps_thread *maps_thread(
	const struct maps *maps, uint32_t pid, uint32_t tid);

/*
 * Returns one flag per element of maps->processes, owned by the caller. The
 * flag is set if a thread of the process is alive or ended at SINCE or later,
 * or if the process has no thread.
 */
bool *maps_living(const struct maps *maps, uint64_t since);

/*
 * Adds a copy of NEW to the tree at ROOT, and cuts the parts that NEW overlaps
 * from the other nodes. Returns the new root.
 */
uint32_t maps_tree_put(
	struct maps *maps, uint32_t root, const struct maps_node *new);
/* Returns the last node (by start) that overlaps [START, END), or NO_NODE. */
uint32_t maps_tree_overlap(
	const struct maps *maps, uint32_t root, uint64_t start, uint64_t end);
/* Returns the node that contains ADDRESS, or NO_NODE. */
uint32_t maps_tree_find(
	const struct maps *maps, uint32_t root, uint64_t address);

static inline uint32_t maps_newest_space(const struct maps_process *process)
{
	return process->versions.at[process->versions.n - 1].space;
}

/* Returns true if THREAD certainly ended before SINCE. */
static inline bool maps_has_ended(
	const struct maps_thread *thread, uint64_t since)
{
	return thread->ended && thread->ended < since;
}

/*
 * Number of elements of VERSIONS, a list of space_version or comm_version, of
 * which the time is WANTED or earlier.
 */
#define VERSIONS_BEFORE(versions, wanted) \
	array_count_before(versions, version, version->time <= (wanted))

#endif
