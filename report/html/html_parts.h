/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was sampled at which place of a page's functions by which thread and in
 * which slice of time, so that a part of the recording can be looked at.
 */
#ifndef DWELL_REPORT_HTML_HTML_PARTS_H
#define DWELL_REPORT_HTML_HTML_PARTS_H

#include "report/flame/flame_make.h"
#include "report/rows/sample_addresses.h"

struct html_part {
	uint32_t entry, event; /* of the page's code; of the result */
	uint32_t slice, pid, tid;
	uint64_t place; /* from the function's start */
	uint64_t samples, period;
};

/* A zeroed one is empty. */
struct html_parts {
	ARRAY(struct html_part) at; /* in the order of these fields */
};

#define HTML_PARTS_NONE UINT32_MAX

/*
 * Of HITS those whose function has an entry: ENTRIES has its number, or
 * HTML_PARTS_NONE, by the location that one is shown as.
 */
void html_parts_find(const struct hits *hits, const struct resolver *resolver,
	const struct flame_slices *slices, const uint32_t *entries,
	struct html_parts *ret);
void html_parts_deinit(struct html_parts *parts);

/* Those of ENTRY and EVENT: the first; *N_RET: how many. */
const struct html_part *html_parts_of(const struct html_parts *parts,
	uint32_t entry, uint32_t event, size_t *n_ret);

#endif
