/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What recordings say of themselves, for a page: names and values, as html_data.h
 * has them. Whoever made the recording wrote most of it.
 */
#ifndef DWELL_REPORT_HTML_HTML_FACTS_H
#define DWELL_REPORT_HTML_HTML_FACTS_H

#include "report/flame/flame.h"
#include "report/result/result.h"

/* Those of the N RESULTS, and of FLAME, the tree of all of them; added to OUT. */
void html_facts_put(const struct result *const *results, size_t n,
	const struct flame *flame, struct strbuf *out);

#endif
