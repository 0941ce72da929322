/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the facts of a page (html_data.h): host, command, lost samples and
 * others. Most values are from recordings, which can be hostile.
 */
#ifndef DWELL_REPORT_HTML_HTML_FACTS_H
#define DWELL_REPORT_HTML_HTML_FACTS_H

#include "report/flame/flame.h"
#include "report/result/result.h"

/* Appends the facts of the N RESULTS, and of their tree FLAME, to OUT. */
void html_facts_put(const struct result *const *results, size_t n,
	const struct flame *flame, struct strbuf *out);

#endif
