/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the section "waits" of a page (html_data.h): for each off-CPU state in the tree,
 * the function that the thread waits in (waits_in.h).
 *
 *	waits		n, for each, by node: its number - the previous node's
 *			number, function
 */
#ifndef DWELL_REPORT_HTML_HTML_WAITS_H
#define DWELL_REPORT_HTML_HTML_WAITS_H

#include "common/util/strbuf.h"
#include "report/flame/flame.h"

void html_waits_put(const struct flame *flame, struct strbuf *out);

#endif
