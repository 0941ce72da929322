/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of CPUs as users and sysfs write them: "0-3,7"; and how many there are
 * for us.
 */
#ifndef DWELL_COMMON_UTIL_CPUS_H
#define DWELL_COMMON_UTIL_CPUS_H

#include "common/util/array.h"

/* Linux's NR_CPUS is at most 8192; above that a list is nonsense. */
#define CPUS_MAX 16384u

struct cpus {
	ARRAY(uint32_t) list; /* ascending, each once */
};

/* Reads TEXT; false (and RET empty) when it is no list. */
bool cpus_parse(const char *text, struct cpus *ret);
bool cpus_has(const struct cpus *cpus, uint32_t cpu);
void cpus_deinit(struct cpus *cpus);

/* Those that this process may run on (sched_getaffinity(2)), at least 1. */
size_t cpus_usable(void);

#endif
