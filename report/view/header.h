/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the facts about recordings that --header shows: host, events, losses.
 */
#ifndef DWELL_REPORT_VIEW_HEADER_H
#define DWELL_REPORT_VIEW_HEADER_H

#include "common/util/json.h"
#include "report/result/result.h"

/* Writes the "# ..." lines of --header for each input in turn, escaped. */
void header_put_all(const struct result *result, struct strbuf *out);
/*
 * Writes the facts of --header as a complete document, in the format of the
 * option --view ("json" or "csv").
 */
void header_put_table(const struct result *result, struct strbuf *out);
/*
 * Writes the facts of --header as the member "header" of the open object JSON.
 */
void header_put_member(const struct result *result, struct json *json);

#endif
