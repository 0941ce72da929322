/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the samples of the functions in the section "code" (html_code.h) by
 * address, thread and time. Input are the sampled addresses of a result; the
 * output refers to the cells of its flame graph for thread and time.
 */
#ifndef DWELL_REPORT_HTML_HTML_PARTS_H
#define DWELL_REPORT_HTML_HTML_PARTS_H

#include "report/flame/flame_result.h"
#include "report/html/html_function.h"

/* The entry of a function that is not in the section. */
#define HTML_PARTS_NONE UINT32_MAX

struct html_parts {
	ARRAY(struct html_part) at; /* sorted by all members */
};

/* What the samples are taken from; borrowed. */
struct html_parts_source {
	const struct result *result;
	const struct flame *flame;
	const struct flame_slices *slices;
};

/*
 * Fills RET, which the caller frees with array_free(&RET->at). ENTRIES has, for
 * each location, the index of its function in the section, or HTML_PARTS_NONE.
 */
void html_parts_find(const struct html_parts_source *source,
	const uint32_t *entries, struct html_parts *ret);
/*
 * Returns the first of the *N_RET elements of FOUND with ENTRY and EVENT, or
 * NULL if there are none.
 */
const struct html_part *html_parts_of(const struct html_parts *found,
	uint32_t entry, uint32_t event, size_t *n_ret);

#endif
