/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes untrusted text (command names, paths, symbols) for terminals, JSON,
 * CSV and XML. Each function appends the result to OUT.
 */
#ifndef DWELL_COMMON_UTIL_ESCAPE_H
#define DWELL_COMMON_UTIL_ESCAPE_H

#include "common/util/strbuf.h"

/*
 * For terminals. Writes as "\xNN" the bytes of control characters, of invalid
 * UTF-8, of invisible characters and of characters that change the order of the
 * text, such as U+202E.
 */
void escape_text(struct strbuf *out, const char *text);
/* As escape_text(), for SIZE bytes; newlines and tabs are not escaped. */
void escape_lines(struct strbuf *out, const char *text, size_t size);
/*
 * Appends a JSON string with its quotes. Invisible characters are not escaped.
 * Each byte of invalid UTF-8 or of a C1 control character becomes U+FFFD.
 */
void escape_json(struct strbuf *out, const char *text);
/* As escape_json(), of the result of escape_text(): safe to print. */
void escape_json_visible(struct strbuf *out, const char *text);
/* For CSV (RFC 4180): quotes only if needed; spreadsheets see no formula. */
void escape_csv(struct strbuf *out, const char *text);

/* For XML and HTML: the result of escape_text() with markup escaped. */
void escape_xml(struct strbuf *out, const char *text);

#endif
