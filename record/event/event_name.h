/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that have one name on every machine: hardware, software, cache and
 * raw ones. Whether this machine counts them is another question.
 */
#ifndef DWELL_RECORD_EVENT_EVENT_NAME_H
#define DWELL_RECORD_EVENT_EVENT_NAME_H

#include "common/util/base.h"

struct event_name {
	const char *name;
	const char *alias; /* NULL: none */
	uint32_t type;     /* PERF_TYPE_* */
	uint64_t config;
	const char *description;
};

/* The table ends with a row whose name is NULL. */
const struct event_name *event_name_table(void);

/* From "cycles", "LLC-loads" or "r1a8" to type and config. */
bool event_name_find(
	const char *name, uint32_t *type_ret, uint64_t *config_ret);

#endif
