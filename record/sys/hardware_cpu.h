/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads cores, dies, sockets and caches from sysfs for the sections
 * CPU_TOPOLOGY and CACHE of the header (doc/format.md). Values that are missing
 * or invalid are omitted.
 */
#ifndef DWELL_RECORD_SYS_HARDWARE_CPU_H
#define DWELL_RECORD_SYS_HARDWARE_CPU_H

#include "common/file/feature.h"

/*
 * Reads below ROOT, a directory used as / ("": this machine). The CPUs are
 * those of RET->cpus_available.
 */
void hardware_cpu_read(const char *root, struct features *ret);

#endif
