/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What address spaces are made of, for maps.c and maps_forget.c alone. A space
 * is the root of a treap of disjoint intervals. Versions share nodes: a node
 * may be changed in place only by the epoch that made it, any other copies it.
 * So a fork is a copied root, and each replaced mapping costs the path to it.
 */
#ifndef DWELL_MAPS_PRIVATE_H
#define DWELL_MAPS_PRIVATE_H

#include "common/array.h"
#include "common/hash.h"
#include "common/mapping.h"

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
	bool has_living, has_ended; /* threads: maps_forget()'s own */
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
	}) spaces;
	ARRAY(struct process) processes;
	ARRAY(struct thread) threads;
	ARRAY(struct dso) dsos;
	ARRAY(char *) comms;
	struct hash_index by_pid, by_tid, by_dso, by_comm;
	uint32_t epochs, random;
};

/* NULL: not known. Borrowed until the next one is added. */
struct process *maps_process(const struct maps *maps, uint32_t pid);

/* Its end is certain, and was before SINCE. */
static inline bool maps_has_ended(const struct thread *thread, uint64_t since)
{
	return thread->ended && thread->ended < since;
}

/* How many of N versions begin at or before TIME. */
#define VERSIONS_BEFORE(versions, time_wanted)                                 \
	({                                                                     \
		size_t low = 0, high = (versions)->n;                          \
		while (low < high) {                                           \
			size_t middle = low + (high - low) / 2;                \
			if ((versions)->at[middle].time <= (time_wanted))      \
				low = middle + 1;                              \
			else                                                   \
				high = middle;                                 \
		}                                                              \
		low;                                                           \
	})

#endif
