/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the machine's CPUs are built, as sysfs tells: cores, dies, sockets, and
 * caches. They become the sections CPU_TOPOLOGY and CACHE of the header
 * (doc/format.md). What sysfs doesn't tell, or tells as no kernel does, is left
 * out.
 */
#ifndef DWELL_RECORD_SYS_HARDWARE_CPU_H
#define DWELL_RECORD_SYS_HARDWARE_CPU_H

#include "common/file/feature.h"

/*
 * Reads below ROOT, which stands for / ("" is the machine itself). The CPUs are
 * those of RET->cpus_available.
 */
void hardware_cpu_describe(const char *root, struct features *ret);

#endif
