/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data structures of address spaces, for maps*.c only; include maps.h first. A
 * space is the root of a treap of disjoint intervals. Versions of a space share
 * nodes. Only the epoch that made a node may change the node in place; other
 * epochs copy it. So a fork copies one root, and replacing a mapping costs the
 * path to it.
 */
#ifndef DWELL_COMMON_MAPS_MAPS_PRIVATE_H
#define DWELL_COMMON_MAPS_MAPS_PRIVATE_H

#include "common/util/array.h"
#include "common/util/hash.h"

#define NO_NODE 0u

struct node {
	uint64_t start, end; /* visible part of the mapping */
	uint32_t mapping;
	uint32_t left, right;
	uint32_t priority;
	uint32_t epoch;
};

struct process {
	uint32_t pid;
	uint32_t epoch; /* epoch of the newest space */
	ARRAY(struct space_version {
		uint64_t time;
		uint32_t space;
	}) versions;
};

struct thread {
	uint32_t pid, tid;
	uint64_t ended; /* time; 0: alive */
	ARRAY(struct comm_version {
		uint64_t time;
		uint32_t comm;
	}) comms;
};

struct maps {
	ARRAY(struct node) nodes;
	ARRAY(struct mapping) mappings;
	ARRAY(struct space {
		uint32_t root;
		uint32_t before_exec; /* or MAPS_NO_SPACE */
		uint32_t program;     /* see maps_program() */
	}) spaces;
	ARRAY(struct process) processes;
	ARRAY(struct thread) threads;
	ARRAY(struct dso) dsos;
	ARRAY(char *) comms;
	struct hash_index by_pid, by_tid, by_dso, by_comm;
	uint32_t epochs, programs, random;
};

/*
 * Return NULL if unknown. Borrowed until the next process or thread is added.
 */
struct process *maps_process(const struct maps *maps, uint32_t pid);
struct thread *maps_thread(
	const struct maps *maps, uint32_t pid, uint32_t tid);

/*
 * Returns one flag per process, owned by the caller. The flag is set if a
 * thread of the process is alive or ended at SINCE or later, or if the process
 * has no thread.
 */
bool *maps_living(const struct maps *maps, uint64_t since);

/*
 * Puts NEW into the tree at ROOT and cuts what it overlaps. Returns the new
 * root.
 */
uint32_t maps_tree_put(
	struct maps *maps, uint32_t root, const struct node *new);
/* Returns the last node (by start) that overlaps [START, END), or NO_NODE. */
uint32_t maps_tree_overlap(const struct maps *maps, uint32_t root,
	uint64_t start, uint64_t end);
/* Returns the node that contains ADDRESS, or NO_NODE. */
uint32_t maps_tree_find(
	const struct maps *maps, uint32_t root, uint64_t address);

static inline uint32_t maps_newest_space(const struct process *process)
{
	return process->versions.at[process->versions.n - 1].space;
}

/* Returns true if THREAD certainly ended before SINCE. */
static inline bool maps_has_ended(const struct thread *thread, uint64_t since)
{
	return thread->ended && thread->ended < since;
}

/* Number of versions that begin at WANTED or earlier. */
#define VERSIONS_BEFORE(versions, wanted)                                      \
	array_count_before(versions, version, version->time <= (wanted))

#endif
