/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a CPU is in the machine, from sysfs: its core, die, socket and NUMA
 * node.
 */
#ifndef DWELL_RECORD_SYS_TOPOLOGY_H
#define DWELL_RECORD_SYS_TOPOLOGY_H

#include "common/util/base.h"

/*
 * The numbers of the kernel. Cores are numbered within a die, and dies within a
 * socket. -1: sysfs does not have the number.
 */
struct topology_of_cpu {
	int cpu, core, die, socket, node;
};

/*
 * Returns the topology of CPU, read below ROOT, a folder used as / ("": this
 * machine). A kernel without dies has die 0 in each socket.
 */
struct topology_of_cpu topology_read(const char *root, uint32_t cpu);

#endif
