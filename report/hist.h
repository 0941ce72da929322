/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Histograms: stacks added up into rows, one histogram per event.
 */
#ifndef DWELL_HIST_H
#define DWELL_HIST_H

#include "report/field.h"
#include "report/scan.h"

/* The place of a row in one stack: where its call tree starts. */
struct hist_cursor {
	uint32_t stack;
	uint32_t at; /* frame in the stack, 0 is the sampled one */
};

struct row {
	uint64_t key[FIELDS_MAX];
	uint64_t self, children; /* periods; children includes self */
	uint64_t samples;        /* self */
	uint32_t location;       /* some location that fell into it */
	uint32_t last_stack;     /* recursion counts once */
	bool is_hidden;          /* filtered, or below the limit */
	ARRAY(struct hist_cursor) cursors;
};

struct hist {
	uint32_t event;
	uint64_t samples, period; /* the whole event's, filtered or not */
	ARRAY(struct row) rows;   /* largest first */
};

struct hist_request {
	const struct field *fields[FIELDS_MAX];
	size_t n_fields;
	bool has_children;     /* rows for callers too */
	bool wants_cursors;    /* for trees */
	bool is_inverted;      /* trees start at callers: caller order */
	double percent_limit;  /* rows below are hidden */
	double tree_limit;     /* branches below are left out of trees */
	const struct filter *filter;
};

/*
 * Turns SCAN's frame numbers into location numbers, in place: each distinct
 * address is looked up once.
 */
void hist_resolve(struct scan *scan, const struct field_names *names);

/*
 * After hist_resolve(): stacks whose sampled code FILTER doesn't want go to a
 * context that is filtered.
 */
void hist_filter(struct scan *scan, const struct filter *filter,
	const struct field_names *names);

/* After hist_resolve(). */
void hist_build(const struct scan *scan, uint32_t event,
	const struct hist_request *request, const struct field_names *names,
	struct hist *ret);
void hist_deinit(struct hist *hist);

#endif
