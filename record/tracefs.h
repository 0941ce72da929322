/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints: their ids and formats from tracefs, and the TRACING_DATA
 * feature that lets others show what a tracepoint's raw bytes mean.
 */
#ifndef DWELL_RECORD_TRACEFS_H
#define DWELL_RECORD_TRACEFS_H

#include "common/array.h"
#include "common/error.h"
#include "common/strbuf.h"

struct tracefs {
	int dir; /* its top folder; -1: not open */
};

/*
 * Opens tracefs where it is mounted; root gets at it without a mount, too.
 * The error says what to do.
 */
struct error *tracefs_open(struct tracefs *ret) _must_check_;
void tracefs_close(struct tracefs *tracefs);

/* The id for perf_event_attr.config. */
struct error *tracefs_id(const struct tracefs *tracefs, const char *group,
	const char *name, uint64_t *ret) _must_check_;

/*
 * Appends the TRACING_DATA blob ("tracing", version 0.6, see doc/format.md)
 * for tracepoints named "group:name". False if a format can't be read.
 */
bool tracefs_tracing_data(const struct tracefs *tracefs,
	const char *const *names, size_t n, struct strbuf *out);

#endif
