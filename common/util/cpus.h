/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of CPUs in the format of sysfs and of options, "0-3,7", and the number
 * of CPUs that this process may use.
 */
#ifndef DWELL_COMMON_UTIL_CPUS_H
#define DWELL_COMMON_UTIL_CPUS_H

#include "common/util/array.h"

/* Larger CPU numbers are an error: NR_CPUS of Linux is at most 8192. */
#define CPUS_MAX 16384u

struct cpus {
	ARRAY(uint32_t) list; /* ascending, without duplicates */
};

/*
 * Parses TEXT, a list of CPUs. If TEXT is not valid, returns false and RET is
 * empty.
 */
bool cpus_parse(const char *text, struct cpus *ret);
bool cpus_has(const struct cpus *cpus, uint32_t cpu);
void cpus_deinit(struct cpus *cpus);

/*
 * Returns the number of CPUs that this process may run on
 * (sched_getaffinity(2)), at least 1.
 */
size_t cpus_usable(void);

#endif
