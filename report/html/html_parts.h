/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the samples of a page's functions by address, thread and time slice,
 * for selections of threads and times in the page.
 */
#ifndef DWELL_REPORT_HTML_HTML_PARTS_H
#define DWELL_REPORT_HTML_HTML_PARTS_H

#include "report/flame/flame_make.h"
#include "report/rows/sample_addresses.h"

struct html_part {
	uint32_t entry, event; /* of the section "code"; of the result */
	uint32_t slice, pid, tid;
	uint64_t place; /* offset from the function's start */
	uint64_t samples, period;
};

/* A zero-initialized struct is empty. */
struct html_parts {
	ARRAY(struct html_part) at; /* sorted by these fields */
};

#define HTML_PARTS_NONE UINT32_MAX

/*
 * Sets RET to the HITS in functions with an entry. ENTRIES has the number of
 * the entry, or HTML_PARTS_NONE, for each location.
 */
void html_parts_find(const struct sample_addresses *hits, const struct resolver *resolver,
	const struct flame_slices *slices, const uint32_t *entries,
	struct html_parts *ret);
void html_parts_deinit(struct html_parts *parts);

/*
 * Returns the first of the N_RET parts of ENTRY and EVENT, or NULL. Borrowed
 * from PARTS.
 */
const struct html_part *html_parts_of(const struct html_parts *parts,
	uint32_t entry, uint32_t event, size_t *n_ret);

#endif
