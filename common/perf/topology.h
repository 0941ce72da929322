/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the sections CPU_TOPOLOGY and NUMA_TOPOLOGY of a perf.data file, and
 * finds the socket and NUMA node of a CPU. Source:
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef DWELL_COMMON_PERF_TOPOLOGY_H
#define DWELL_COMMON_PERF_TOPOLOGY_H

#include "common/util/bytes.h"
#include "common/util/cpus.h"

/* A zero-initialized topology is empty. */
struct topology {
	ARRAY(struct topology_cpu { uint32_t core, socket; })
	cpus; /* by CPU number; empty in files of old perf versions */
	ARRAY(struct topology_node {
		uint32_t number;
		struct cpus cpus;
	}) nodes;
};

void topology_deinit(struct topology *topology);

/* Reads CPU_TOPOLOGY of N_CPUS CPUs. Returns false if it is damaged. */
bool topology_read_cpus(
	struct topology *topology, struct bytes *b, uint32_t n_cpus);
/* Reads NUMA_TOPOLOGY. Returns false if it is damaged. */
bool topology_read_nodes(struct topology *topology, struct bytes *b);

/* Return -1 if unknown. */
int64_t topology_socket(const struct topology *topology, uint32_t cpu);
int64_t topology_node(const struct topology *topology, uint32_t cpu);

#endif
