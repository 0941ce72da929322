/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints header sections about the recording machine's hardware (CPU_TOPOLOGY,
 * NUMA_TOPOLOGY, CACHE, MEM_TOPOLOGY, HYBRID_TOPOLOGY, CPU_DOMAIN_INFO,
 * E_MACHINE, CLN_SIZE) and PMU capabilities (CPU_PMU_CAPS, PMU_CAPS), in the
 * format of perf's header. Each function reads the section's bytes B. Output of
 * a damaged section ends at the damage.
 */
#ifndef DWELL_COMMON_PERF_MACHINE_H
#define DWELL_COMMON_PERF_MACHINE_H

#include "common/util/bytes.h"
#include "common/util/strbuf.h"

/* N_CPUS is the number of available CPUs, from NRCPUS. */
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

#endif
