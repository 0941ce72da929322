/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints: their ids and formats from tracefs, and the TRACING_DATA
 * feature that lets others show what a tracepoint's raw bytes mean.
 */
#ifndef DWELL_RECORD_EVENT_TRACEFS_H
#define DWELL_RECORD_EVENT_TRACEFS_H

#include "common/util/array.h"
#include "common/util/error.h"
#include "common/util/strbuf.h"

/* For root: the one makes it readable for everybody, the other mounts it. */
#define TRACEFS_OPEN_COMMAND "chmod -R a+rX /sys/kernel/tracing"
#define TRACEFS_MOUNT_COMMAND "mount -t tracefs nodev /sys/kernel/tracing"

struct tracefs {
	int dir; /* its top folder; -1: not open */
};

/*
 * Opens tracefs at PATH, or if that is NULL where it is mounted; root gets at
 * it without a mount, too. The error says what to do.
 */
struct error *tracefs_open(const char *path, struct tracefs *ret) _must_check_;
void tracefs_close(struct tracefs *tracefs);

/* The id for perf_event_attr.config; false: there is no such tracepoint. */
bool tracefs_id(const struct tracefs *tracefs, const char *group,
	const char *name, uint64_t *ret);

struct tracefs_names {
	ARRAY(char *) list; /* in order; owned */
};
/* The groups, and the tracepoints of one, that a glob matches. */
void tracefs_groups(const struct tracefs *tracefs, const char *pattern,
	struct tracefs_names *ret);
void tracefs_events(const struct tracefs *tracefs, const char *group,
	const char *pattern, struct tracefs_names *ret);
void tracefs_names_deinit(struct tracefs_names *names);

/* Appends the text that describes a tracepoint's fields. */
bool tracefs_format(const struct tracefs *tracefs, const char *group,
	const char *name, struct strbuf *out);

/*
 * Appends the TRACING_DATA blob ("tracing", version 0.6, see doc/format.md)
 * for tracepoints named "group:name". False if a format can't be read.
 */
bool tracefs_tracing_data(const struct tracefs *tracefs,
	const char *const *names, size_t n, struct strbuf *out);

#endif
