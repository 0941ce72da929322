/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What address spaces are made of, for maps*.c alone. A space is the root of a
 * treap of disjoint intervals. Versions share nodes: a node may be changed in
 * place only by the epoch that made it, any other copies it. So a fork is a
 * copied root, and each replaced mapping costs the path to it.
 */
#ifndef DWELL_COMMON_MAPS_MAPS_PRIVATE_H
#define DWELL_COMMON_MAPS_MAPS_PRIVATE_H

#include "common/maps/mapping.h"
#include "common/util/array.h"
#include "common/util/hash.h"

#define NO_NODE 0u

struct node {
	uint64_t start, end; /* the part of the mapping that is still seen */
	uint32_t mapping;
	uint32_t left, right;
	uint32_t priority;
	uint32_t epoch;
};

struct process {
	uint32_t pid;
	uint32_t epoch; /* of its newest space */
	ARRAY(struct space_version {
		uint64_t time;
		uint32_t space;
	}) versions;
};

struct thread {
	uint32_t pid, tid;
	uint64_t ended; /* 0: it lives */
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
		uint32_t before_exec; /* MAPS_NO_SPACE: none */
		uint32_t program;     /* see maps_program() */
	}) spaces;
	ARRAY(struct process) processes;
	ARRAY(struct thread) threads;
	ARRAY(struct dso) dsos;
	ARRAY(char *) comms;
	struct hash_index by_pid, by_tid, by_dso, by_comm;
	uint32_t epochs, programs, random;
};

/* NULL: not known. Borrowed until the next one is added. */
struct process *maps_process(const struct maps *maps, uint32_t pid);
struct thread *maps_thread(
	const struct maps *maps, uint32_t pid, uint32_t tid);

/*
 * By process: whether one of its threads lives, or had not ended at SINCE; or
 * nothing is known of any. The caller's to free.
 */
bool *maps_living(const struct maps *maps, uint64_t since);

/* The index of the DSO that MAP is of; a new one if need be. */
uint32_t maps_intern_dso(struct maps *maps, const struct record_mmap *map);

/* Puts NEW into the space at ROOT, over what is there. Returns the new root. */
uint32_t maps_tree_put(
	struct maps *maps, uint32_t root, const struct node *new);
/* The node that overlaps [START, END) and starts last; NO_NODE if none. */
uint32_t maps_tree_overlap(const struct maps *maps, uint32_t root,
	uint64_t start, uint64_t end);
/* The node that covers ADDRESS; NO_NODE if none does. */
uint32_t maps_tree_find(
	const struct maps *maps, uint32_t root, uint64_t address);

static inline uint32_t maps_newest_space(const struct process *process)
{
	return process->versions.at[process->versions.n - 1].space;
}

/* Its end is certain, and was before SINCE. */
static inline bool maps_has_ended(const struct thread *thread, uint64_t since)
{
	return thread->ended && thread->ended < since;
}

/* How many of the versions begin at or before WANTED. */
#define VERSIONS_BEFORE(versions, wanted)                                      \
	array_count_before(versions, version, version->time <= (wanted))

#endif
