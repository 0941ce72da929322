/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of events that are the same on every machine: hardware, software, cache
 * and raw events. Does not check whether this machine has them.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_NAME_H
#define DWELL_RECORD_EVENT_EVENT_NAME_H

#include "common/util/base.h"

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

#endif
