/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names come from outside: commands, paths, symbols. On their way to a
 * terminal, to JSON or CSV they pass through here.
 */
#ifndef DWELL_COMMON_UTIL_ESCAPE_H
#define DWELL_COMMON_UTIL_ESCAPE_H

#include "common/util/strbuf.h"

/*
 * Control bytes, bytes that are no UTF-8, and those of characters that nobody sees
 * or that turn what stands around them (U+202E and its like) become "\xNN".
 */
void escape_text(struct strbuf *out, const char *text);
/* The same for SIZE bytes of several lines: newlines and tabs stay. */
void escape_lines(struct strbuf *out, const char *text, size_t size);
/* With its quotes, nothing is hidden; bytes that are no UTF-8 become U+FFFD. */
void escape_json(struct strbuf *out, const char *text);
/* The same of what escape_text() makes: for who prints what JSON holds. */
void escape_json_visible(struct strbuf *out, const char *text);
/* RFC 4180, quoted where it must be; never starts a formula. */
void escape_csv(struct strbuf *out, const char *text);

/* For HTML and XML; what isn't text becomes what escape_text() makes of it. */
void escape_xml(struct strbuf *out, const char *text);

#endif
