/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the CPUs and the memory of the machine from sysfs for sections of the
 * header (doc/format.md). Values that are missing or invalid are omitted. Both
 * functions read below ROOT, a folder used as / ("": this machine).
 */
#ifndef DWELL_RECORD_SYS_HARDWARE_H
#define DWELL_RECORD_SYS_HARDWARE_H

#include "common/file/feature.h"

/*
 * Reads cores, dies, sockets and caches for the sections CPU_TOPOLOGY and
 * CACHE, for CPU 0 to RET->cpus_available - 1.
 */
void hardware_cpu_read(const char *root, struct features *ret);

/*
 * Reads the CPUs and the memory of each NUMA node for the sections
 * NUMA_TOPOLOGY and MEM_TOPOLOGY. Kernels without NUMA have neither section;
 * kernels without memory hotplug lack MEM_TOPOLOGY.
 */
void hardware_memory_read(const char *root, struct features *ret);

#endif
