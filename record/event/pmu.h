/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMUs that sysfs shows (/sys/bus/event_source/devices): their type
 * numbers, which of them are the CPUs' own, and the names that they have for
 * events and for the fields of an event's attr.
 */
#ifndef DWELL_RECORD_EVENT_PMU_H
#define DWELL_RECORD_EVENT_PMU_H

#include "common/util/array.h"
#include "common/util/cpus.h"
#include "common/util/strbuf.h"

/* config, config1, config2, config3 */
#define PMU_CONFIGS 4u

struct pmu {
	char *name;
	uint32_t type;    /* for perf_event_attr.type */
	bool is_core;     /* counts on CPUs of one kind: has a file "cpus" */
	struct cpus cpus; /* where it counts: "cpus" or "cpumask"; empty: all */
	int max_precise;  /* "caps/max_precise"; below 0: unknown */
};

struct pmus {
	const char *path;       /* borrowed */
	ARRAY(struct pmu) list; /* by type */
};

/*
 * Reads what is below PATH, NULL being sysfs; nothing there is no error. PATH
 * is borrowed until pmus_deinit().
 */
void pmus_read(const char *path, struct pmus *ret);
/* Two or more core PMUs: a hybrid machine. */
bool pmus_is_hybrid(const struct pmus *pmus);
void pmus_deinit(struct pmus *pmus);

/* NULL: there is none of that name. */
const struct pmu *pmus_find(const struct pmus *pmus, const char *name);
/*
 * As perf has it: PATTERN is the PMU's name; or a glob; or its name but for
 * "uncore_" before and "_NUMBER" behind.
 */
bool pmu_matches(const struct pmu *pmu, const char *pattern);

/* Where a term's value goes: its lowest bit into the lowest of BITS. */
struct pmu_format {
	unsigned config; /* below PMU_CONFIGS */
	uint64_t bits;   /* not 0 */
};

/* Reads "config1:0-7,32-35"; false when it is nothing of the kind. */
bool pmu_format_parse(const char *text, struct pmu_format *ret);
/* VALUE's bits in their places. */
uint64_t pmu_format_place(const struct pmu_format *format, uint64_t value);
/* The largest value that has room. */
uint64_t pmu_format_max(const struct pmu_format *format);

/* The format of a term; 0, -1: there is none, -2: it can't be understood. */
int pmu_format(const struct pmus *pmus, const struct pmu *pmu,
	const char *term, struct pmu_format *ret);
/* Appends the terms that a named event stands for; the case of NAME is free. */
bool pmu_event(const struct pmus *pmus, const struct pmu *pmu,
	const char *name, struct strbuf *out);

/* Calls SEE with the name of each term, of each named event. */
void pmu_each_term(const struct pmus *pmus, const struct pmu *pmu,
	void (*see)(void *data, const char *name), void *data);
void pmu_each_event(const struct pmus *pmus, const struct pmu *pmu,
	void (*see)(void *data, const char *name), void *data);

#endif
