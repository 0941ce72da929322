/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes untrusted text (command names, paths, symbols) for terminals, JSON,
 * CSV, shells and XML. Each function appends the result to OUT.
 */
#ifndef DWELL_COMMON_UTIL_ESCAPE_H
#define DWELL_COMMON_UTIL_ESCAPE_H

#include "common/util/strbuf.h"

/*
 * Escapes TEXT for terminals. Writes as "\xNN" the bytes of control characters,
 * of invalid UTF-8, of invisible characters and of characters that change the
 * order of the text, such as U+202E.
 */
void escape_text(struct strbuf *out, const char *text);
/*
 * Escapes SIZE bytes of TEXT for terminals, like escape_text(), but keeps
 * newlines and tabs.
 */
void escape_lines(struct strbuf *out, const char *text, size_t size);
/*
 * Appends a JSON string with its quotes. Invisible characters and characters
 * that change the order of the text become "\uNNNN", which JSON readers convert
 * to the same characters. Each byte of invalid UTF-8 or of a C1 control
 * character becomes U+FFFD.
 */
void escape_json(struct strbuf *out, const char *text);
/*
 * Appends a JSON string of TEXT, escaped by escape_text(), so that a terminal
 * can show the string.
 */
void escape_json_visible(struct strbuf *out, const char *text);
/*
 * Appends a field of CSV (RFC 4180), in quotes only if needed. A text that
 * starts like a formula gets a leading "'", so that spreadsheets do not run it.
 */
void escape_csv(struct strbuf *out, const char *text);
/*
 * Like escape_csv(), for fields between which SEPARATOR, a text that is not
 * empty, stands instead of a comma.
 */
void escape_csv_field(
	struct strbuf *out, const char *text, const char *separator);

/* Appends TEXT as one word of a shell command, in quotes only if needed. */
void escape_shell(struct strbuf *out, const char *text);

/* Escapes TEXT by escape_text(), then escapes the markup of XML and HTML. */
void escape_xml(struct strbuf *out, const char *text);

#endif
