/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IDs and formats of tracepoints from tracefs, and the TRACING_DATA section
 * with which readers decode the raw data of tracepoints.
 */
#ifndef DWELL_RECORD_EVENT_TRACEFS_H
#define DWELL_RECORD_EVENT_TRACEFS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

/* Commands for root: make tracefs readable for all users; mount tracefs. */
#define TRACEFS_OPEN_COMMAND "chmod -R a+rX /sys/kernel/tracing"
#define TRACEFS_MOUNT_COMMAND "mount -t tracefs nodev /sys/kernel/tracing"

struct tracefs {
	int dir; /* descriptor of the root of tracefs; -1: not open */
};

/*
 * Opens tracefs at PATH (NULL: where it is mounted). For root, tracefs need not
 * be mounted. The error contains the remedy.
 */
struct error *tracefs_open(const char *path, struct tracefs *ret) _must_check_;
void tracefs_close(struct tracefs *tracefs);

/*
 * Reads the ID of the tracepoint GROUP:NAME for perf_event_attr.config. Returns
 * false if there is no such tracepoint.
 */
bool tracefs_id(const struct tracefs *tracefs, const char *group,
	const char *name, uint64_t *ret);

struct tracefs_names {
	ARRAY(char *) list; /* sorted; owned */
};
/*
 * Appends to RET the names of the groups, or of the tracepoints of GROUP, that
 * the glob PATTERN matches.
 */
void tracefs_groups(const struct tracefs *tracefs, const char *pattern,
	struct tracefs_names *ret);
void tracefs_events(const struct tracefs *tracefs, const char *group,
	const char *pattern, struct tracefs_names *ret);
void tracefs_names_deinit(struct tracefs_names *names);

/*
 * Appends the format of the tracepoint GROUP:NAME to OUT. Returns false if the
 * format cannot be read.
 */
bool tracefs_format(const struct tracefs *tracefs, const char *group,
	const char *name, struct strbuf *out);

/*
 * Appends the TRACING_DATA section ("tracing", version 0.6, see doc/format.md)
 * for N tracepoints "group:name". Returns false if a format cannot be read.
 */
bool tracefs_tracing_data(const struct tracefs *tracefs,
	const char *const *names, size_t n, struct strbuf *out);

#endif
