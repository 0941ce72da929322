/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the CPUs and the memory of each NUMA node from sysfs for the sections
 * NUMA_TOPOLOGY and MEM_TOPOLOGY of the header (doc/format.md). Kernels without
 * NUMA have neither; kernels without memory hotplug lack the second.
 */
#ifndef DWELL_RECORD_SYS_HARDWARE_MEMORY_H
#define DWELL_RECORD_SYS_HARDWARE_MEMORY_H

#include "common/file/feature.h"

/* Reads below ROOT, a directory used as / ("": this machine). */
void hardware_memory_read(const char *root, struct features *ret);

#endif
