/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMUs that sysfs shows (/sys/bus/event_source/devices): their type
 * numbers, and which of them are the CPUs' own.
 */
#ifndef DWELL_RECORD_PMU_H
#define DWELL_RECORD_PMU_H

#include "common/array.h"
#include "record/cpus.h"

struct pmu {
	char *name;
	uint32_t type;    /* for perf_event_attr.type */
	bool is_core;     /* counts on CPUs of one kind: has a file "cpus" */
	struct cpus cpus; /* of a core PMU */
};

struct pmus {
	ARRAY(struct pmu) list; /* by type */
};

/* Reads what is below PATH, NULL being sysfs; nothing there is no error. */
void pmus_read(const char *path, struct pmus *ret);
/* Two or more core PMUs: a hybrid machine. */
bool pmus_is_hybrid(const struct pmus *pmus);
void pmus_deinit(struct pmus *pmus);

#endif
