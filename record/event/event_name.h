/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of events that are the same on every machine: hardware, software, cache
 * and raw events. Does not check whether this machine has them.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_NAME_H
#define DWELL_RECORD_EVENT_EVENT_NAME_H

#include "common/util/base.h"
#include "common/util/error.h"
#include "record/event/pmu.h"

struct event_name {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;	   /* PERF_TYPE_* */
	uint64_t config;
	const char *description;
};

/* Returns the table of names. The name of its last row is NULL. */
const struct event_name *event_name_table(void);

/*
 * Converts "cycles", "LLC-loads" or "r1a8" to type and config. Returns false if
 * NAME is unknown.
 */
bool event_name_find(
	const char *name, uint32_t *type_ret, uint64_t *config_ret);

/* Calls VISIT with the canonical name of each cache event. */
void event_cache_each(
	void (*visit)(void *data, const char *name, uint64_t config),
	void *data);

/*
 * Returns the error for an unknown NAME without terms, with the most similar
 * name as a hint.
 */
struct error *event_unknown(
	const char *name, const struct pmus *pmus) _must_check_;
/*
 * Returns the error for an unknown NAME in front of a slash, which is an event
 * or a PMU, with the most similar name as a hint.
 */
struct error *event_unknown_pmu(
	const char *name, const struct pmus *pmus) _must_check_;

#endif
