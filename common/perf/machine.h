/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints header sections about the recording machine's hardware (CPU_TOPOLOGY,
 * NUMA_TOPOLOGY, CACHE, MEM_TOPOLOGY, HYBRID_TOPOLOGY, CPU_DOMAIN_INFO,
 * E_MACHINE, CLN_SIZE) and PMU capabilities (CPU_PMU_CAPS, PMU_CAPS), in the
 * format of perf's header. Each function reads the section's bytes B. Output of
 * a damaged section ends at the damage. Also finds the socket and the NUMA node
 * of a CPU. Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef DWELL_COMMON_PERF_MACHINE_H
#define DWELL_COMMON_PERF_MACHINE_H

#include "common/util/bytes.h"
#include "common/util/cpus.h"
#include "common/util/strbuf.h"

/* N_CPUS is the number of available CPUs, from the section NRCPUS. */
void machine_print_cpus(struct bytes b, uint32_t n_cpus, struct strbuf *out);
void machine_print_nodes(struct bytes b, struct strbuf *out);
void machine_print_caches(struct bytes b, struct strbuf *out);
void machine_print_memory(struct bytes b, struct strbuf *out);
void machine_print_hybrid(struct bytes b, struct strbuf *out);
void machine_print_cpu_caps(struct bytes b, struct strbuf *out);
void machine_print_pmu_caps(struct bytes b, struct strbuf *out);
void machine_print_domains(struct bytes b, struct strbuf *out);
void machine_print_elf_machine(struct bytes b, struct strbuf *out);
void machine_print_cacheline(struct bytes b, struct strbuf *out);

/* A zero-initialized topology is empty. */
struct machine_topology {
	ARRAY(struct machine_cpu { uint32_t core, socket; })
	cpus; /* indexed by CPU number; empty in files of old perf versions */
	ARRAY(struct machine_node {
		uint32_t number;
		struct cpus cpus;
	})
	nodes;
};

void machine_topology_deinit(struct machine_topology *topology);

/* Reads CPU_TOPOLOGY of N_CPUS CPUs. Returns false if B is damaged. */
bool machine_read_cpus(
	struct machine_topology *topology, struct bytes *b, uint32_t n_cpus);
/* Reads NUMA_TOPOLOGY. Returns false if B is damaged. */
bool machine_read_nodes(struct machine_topology *topology, struct bytes *b);

/* Return the number of the socket or NUMA node of CPU, or -1 if unknown. */
int64_t machine_socket(const struct machine_topology *topology, uint32_t cpu);
int64_t machine_node(const struct machine_topology *topology, uint32_t cpu);

#endif
