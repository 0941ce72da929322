/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of CPUs as users and sysfs write them: "0-3,7".
 */
#ifndef DWELL_RECORD_CPUS_H
#define DWELL_RECORD_CPUS_H

#include "common/array.h"

/* Linux's NR_CPUS is at most 8192; above that a list is nonsense. */
#define CPUS_MAX 16384u

struct cpus {
	ARRAY(uint32_t) list; /* ascending, each once */
};

/* Reads TEXT; false (and RET empty) when it is no list. */
bool cpus_parse(const char *text, struct cpus *ret);
/* The CPUs that are online now; CPU 0 if sysfs doesn't tell. */
void cpus_online(struct cpus *ret);
/* How many the machine can have, at least those online. */
uint32_t cpus_possible(void);
bool cpus_has(const struct cpus *cpus, uint32_t cpu);
void cpus_deinit(struct cpus *cpus);

#endif
