/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which memory and which CPUs make a node, as sysfs tells: the sections
 * NUMA_TOPOLOGY and MEM_TOPOLOGY of the header (doc/format.md). A kernel
 * without NUMA tells neither; one that can't plug memory lacks the second.
 */
#ifndef DWELL_RECORD_SYS_HARDWARE_MEMORY_H
#define DWELL_RECORD_SYS_HARDWARE_MEMORY_H

#include "common/file/feature.h"

/* Reads below ROOT, which stands for / ("" is the machine itself). */
void hardware_memory_describe(const char *root, struct features *ret);

#endif
