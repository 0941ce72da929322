/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call graph of a row as JSON: dwell-report(1) has its shape. */
#ifndef DWELL_REPORT_VIEW_GRAPH_JSON_H
#define DWELL_REPORT_VIEW_GRAPH_JSON_H

#include "report/result/result.h"

/*
 * Where result->forest isn't NULL: the member "graph" of an object, a list of
 * branches, each with its own list. False, and nothing printed but a note, if
 * there is no memory for it.
 */
bool graph_json_put(const struct result *result, const struct hist *hist,
	const struct row *row, struct strbuf *out);

#endif
