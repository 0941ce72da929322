/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the CPUs of a machine are: the sections CPU_TOPOLOGY and NUMA_TOPOLOGY
 * of a perf.data (tools/perf/Documentation/perf.data-file-format.txt).
 */
#ifndef DWELL_COMMON_PERF_TOPOLOGY_H
#define DWELL_COMMON_PERF_TOPOLOGY_H

#include "common/util/bytes.h"
#include "common/util/cpus.h"

/* A zeroed one knows nothing. */
struct topology {
	ARRAY(struct topology_cpu {
		uint32_t core, socket;
	}) cpus; /* by number; empty in files of old perfs */
	ARRAY(struct topology_node {
		uint32_t number;
		struct cpus cpus;
	}) nodes;
};

void topology_deinit(struct topology *topology);

/* CPU_TOPOLOGY of a machine with N_CPUS; false for damage. */
bool topology_read_cpus(
	struct topology *topology, struct bytes *b, uint32_t n_cpus);
/* NUMA_TOPOLOGY */
bool topology_read_nodes(struct topology *topology, struct bytes *b);

/* -1 where nothing tells. */
int64_t topology_socket(const struct topology *topology, uint32_t cpu);
int64_t topology_node(const struct topology *topology, uint32_t cpu);

#endif
