/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMUs in sysfs (/sys/bus/event_source/devices): their types, which of them
 * are core PMUs, their named events, and the formats of their terms.
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
	uint32_t type;	  /* for perf_event_attr.type */
	bool is_core;	  /* a core PMU: counts on CPUs of one kind; has a file
			     "cpus" */
	struct cpus cpus; /* CPUs of "cpus" or "cpumask"; empty: all */
	int max_precise;  /* "caps/max_precise"; below 0: unknown */
};

/* The longest unit is that of perf, with 31 characters. */
#define PMU_UNIT_SIZE 32u
/* Larger scales are ignored: each number that is made of a count is finite. */
#define PMU_SCALE_MAX 1e100

/* The unit of a named event: counts are multiplied by .scale. */
struct pmu_unit {
	double scale; /* 0: none */
	char text[PMU_UNIT_SIZE];
	bool is_snapshot; /* the value is a level, not a count */
};

struct pmus {
	const char *path;	/* borrowed */
	ARRAY(struct pmu) list; /* sorted by type */
};

/*
 * Reads the PMUs below PATH (NULL: sysfs), which is borrowed until
 * pmus_deinit(). RET is empty if PATH does not exist.
 */
void pmus_read(const char *path, struct pmus *ret);
/* Returns whether there are two or more core PMUs. */
bool pmus_is_hybrid(const struct pmus *pmus);
void pmus_deinit(struct pmus *pmus);

/* Returns the PMU called NAME, or NULL. */
const struct pmu *pmus_find(const struct pmus *pmus, const char *name);
/*
 * Returns whether PATTERN matches PMU. As in perf, PATTERN is the name of the
 * PMU, a glob, or the name without a leading "uncore_" and a trailing
 * "_NUMBER".
 */
bool pmu_matches(const struct pmu *pmu, const char *pattern);

/*
 * The position of a term's value in perf_event_attr: the lowest bit of the
 * value goes to the lowest of .bits.
 */
struct pmu_format {
	unsigned config; /* below PMU_CONFIGS */
	uint64_t bits;	 /* not 0 */
};

/* Parses "config1:0-7,32-35". Returns false if TEXT is not a format. */
bool pmu_format_parse(const char *text, struct pmu_format *ret);
/* Returns VALUE with its bits moved to the positions of FORMAT. */
uint64_t pmu_format_place(const struct pmu_format *format, uint64_t value);
/* Returns the largest value of a term with FORMAT. */
uint64_t pmu_format_max(const struct pmu_format *format);

/*
 * Reads the format of the term TERM of PMU. Returns 0, -1 if PMU has no such
 * term, or -2 if the format cannot be parsed.
 */
int pmu_format(const struct pmus *pmus, const struct pmu *pmu, const char *term,
	struct pmu_format *ret);
/*
 * Appends the terms of the named event NAME of PMU to OUT, ignoring the case of
 * NAME. Returns false if PMU has no such event.
 */
bool pmu_event(const struct pmus *pmus, const struct pmu *pmu, const char *name,
	struct strbuf *out);

/*
 * Reads the unit of the named event NAME of PMU from the files NAME.unit,
 * NAME.scale and NAME.snapshot. What is missing or not valid is 0.
 */
struct pmu_unit pmu_event_unit(
	const struct pmus *pmus, const struct pmu *pmu, const char *name);

/* Calls VISIT with the name of each term, or of each named event, of PMU. */
void pmu_each_term(const struct pmus *pmus, const struct pmu *pmu,
	void (*visit)(void *data, const char *name), void *data);
void pmu_each_event(const struct pmus *pmus, const struct pmu *pmu,
	void (*visit)(void *data, const char *name), void *data);

#endif
